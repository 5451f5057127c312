import type { Agent } from "undici";
import { createStorageAgent } from "../../network/connector";
import { linkAddressProblem } from "../../network/linkAddress";
import { userAgent } from "../../network/userAgent";
import { interruptibleRest, limitOf, longestTimer, sleep, stopError } from "../../support/abort";
import { DestinationError, DocsPlatformError } from "../../support/errors";
import { isThisMachine } from "../../support/hostNames";
import { formatDuration } from "../../support/time/duration";
import { backoff, rests } from "../../support/time/rests";
import { timeLimits } from "../../support/time/timeLimits";
import { readBounded } from "../textFile";
import { basicOf, type Challenge, parseChallenge, type RegistryAnswer, requestToken } from "./authority";
import { type Credentials, findCredentials } from "./credentials";
import type { OciDestination } from "./destination";
import { RegistryRefusalError, registryRefusalOf } from "./error";

/** How often a request that can be repeated is repeated. */
const mostRepeats = 3;
/** The size limit of an answer, in bytes. Manifests are small: registries accept none above 4 MiB. */
const maxAnswerBytes = 4 * 1024 ** 2;

export interface RegistryRequest {
  method: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** The path below `/v2/<repository>/`, or a whole address that the registry has given. */
  path: string | URL;
  headers?: Record<string, string>;
  /** The content. A stream can be read only once, so it cannot be sent again. */
  body?: Buffer | AsyncIterable<Buffer>;
  /** Whether a status beside those of success is expected. */
  accepts?: (status: number) => boolean;
  /** Stops the request, instead of the client's signal. */
  signal?: AbortSignal | undefined;
}

/** Sends the requests of one repository, with the credentials of the Docker configuration if the registry asks for them. */
export class RegistryClient {
  readonly #destination: OciDestination;
  readonly #agent: Agent;
  readonly #base: URL;
  #credentials: Promise<Credentials | undefined> | undefined;
  #authorization: string | undefined;

  readonly #signal: AbortSignal;

  /** @param signal stops each request that has no signal of its own. */
  constructor(destination: OciDestination, signal: AbortSignal) {
    const { registry, repository, plainHttp } = destination;
    // The host of Docker's own registry differs from the name in its image references.
    const host = registry === "docker.io" ? "registry-1.docker.io" : registry;
    this.#destination = destination;
    this.#signal = signal;
    this.#base = new URL(`${plainHttp ? "http" : "https"}://${host}/v2/${repository}/`);
    this.#agent = createStorageAgent();
  }

  /** Returns the address of a path in the repository, or of an address that the registry has given in an answer. */
  addressOf(path: string): URL {
    return new URL(path, this.#base);
  }

  /** @throws RegistryRefusalError for an unexpected status; any other error is a network error. */
  async send(request: RegistryRequest): Promise<RegistryAnswer> {
    const repeatable = request.body === undefined || Buffer.isBuffer(request.body);
    for (let attempt = 0; ; attempt++) {
      const { signal = this.#signal, accepts = () => false } = request;
      const outcome = await this.#authorized(request, repeatable).catch((error: Error) => error);
      if (signal.aborted) {
        throw stopError(signal);
      }
      if (!(outcome instanceof Error) && (isSuccess(outcome.status) || accepts(outcome.status))) {
        return outcome;
      }
      const fault =
        outcome instanceof Error ? outcome : registryRefusalOf(outcome.status, outcome.body.toString("utf8"));
      if (!repeatable || !mayPass(fault) || attempt === mostRepeats) {
        throw fault;
      }
      await interruptibleRest(sleep(backoff(rests.transfer, attempt), signal));
    }
  }

  close(): void {
    this.#agent.destroy().catch(() => {});
  }

  /** Sends a request, and once more with new authorization if the registry asks for it. */
  async #authorized(request: RegistryRequest, repeatable: boolean): Promise<RegistryAnswer> {
    const answer = await this.#once(request);
    // Only the registry itself may ask for credentials. A storage server that the registry names may not.
    const asks = answer.status === 401 && this.#isRegistry(this.#addressOf(request));
    const challenge = asks ? parseChallenge(answer.headers["www-authenticate"]) : undefined;
    if (challenge === undefined || !repeatable) {
      return answer;
    }
    this.#authorization = await this.#authorize(challenge, request);
    return this.#authorization === undefined ? answer : this.#once(request);
  }

  async #authorize(challenge: Challenge, { method, signal }: RegistryRequest): Promise<string | undefined> {
    this.#credentials ??= findCredentials(this.#destination.registry);
    const credentials = await this.#credentials;
    if (challenge.scheme === "basic") {
      return credentials?.kind === "password" ? basicOf(credentials) : undefined;
    }
    const realm = this.addressOf(challenge.realm);
    this.#requireAllowed(realm);
    const { repository } = this.#destination;
    const actions =
      method === "GET" || method === "HEAD" ? "pull" : method === "DELETE" ? "pull,push,delete" : "pull,push";
    const scope = `repository:${repository}:${actions}`;
    const send = (options: { method: "GET" | "POST"; headers: Record<string, string>; body?: string }, query: string) =>
      this.#request(new URL(query, realm), { ...options, signal });
    return requestToken({ realm, service: challenge.service, scope, credentials, send });
  }

  #once(request: RegistryRequest): Promise<RegistryAnswer> {
    const { method, headers, body, signal } = request;
    const address = this.#addressOf(request);
    this.#requireAllowed(address);
    // The registry may name a storage server for an upload. That server must not receive the authorization for the
    // registry.
    const authorization = this.#isRegistry(address) ? this.#authorization : undefined;
    const sent = { ...headers, ...(authorization !== undefined && { authorization }) };
    return this.#request(address, { method, headers: sent, body, signal });
  }

  #addressOf({ path }: RegistryRequest): URL {
    return typeof path === "string" ? this.addressOf(path) : path;
  }

  #isRegistry({ origin }: URL): boolean {
    return origin === this.#base.origin;
  }

  async #request(
    { origin, pathname, search }: URL,
    options: {
      method: RegistryRequest["method"];
      headers: Record<string, string>;
      body?: string | RegistryRequest["body"];
      signal?: AbortSignal | undefined;
    },
  ): Promise<RegistryAnswer> {
    const { method, body: content, signal = this.#signal } = options;
    signal.throwIfAborted();
    const isSmall = content === undefined || typeof content === "string" || Buffer.isBuffer(content);
    const limit = limitOf(isSmall ? timeLimits.storageAnswer : longestTimer, signal);
    try {
      const { statusCode, headers, body } = await this.#agent.request({
        origin,
        path: pathname + search,
        method,
        headers: { "user-agent": userAgent(), ...options.headers },
        // The HTTP library accepts any iterable of bytes, but its types allow only streams.
        body: (content as Buffer | undefined) ?? null,
        signal: limit.signal,
      });
      return { status: statusCode, headers, body: await readBounded(body, maxAnswerBytes) };
    } catch (error) {
      throw limit.isUp() ? new Error(`no complete answer within ${formatDuration(timeLimits.storageAnswer)}`) : error;
    } finally {
      limit.end();
    }
  }

  /**
   * Checks an address that the registry names by the rule for links, since the registry decides what this machine sends
   * there.
   */
  #requireAllowed(address: URL): void {
    const { registry, plainHttp } = this.#destination;
    const rule = { from: "registry", loopback: plainHttp || isThisMachine(this.#base.hostname), hosts: undefined };
    const problem = this.#isRegistry(address) ? undefined : linkAddressProblem(address, rule);
    if (problem !== undefined) {
      throw new DestinationError({
        happened: `the registry ${registry} points to ${address.host}${problem}; nothing was sent there`,
        remedy: "ask its operator to correct the addresses that it returns.",
      });
    }
  }
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

function mayPass(fault: Error): boolean {
  if (fault instanceof RegistryRefusalError) {
    return fault.status >= 500 || fault.status === 408 || fault.status === 429;
  }
  // A network error has a code. A programming error has none.
  return !(fault instanceof DocsPlatformError) && "code" in fault;
}
