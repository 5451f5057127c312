import { Agent, type Dispatcher } from "undici";
import { createProcessConnector } from "../../../network/connector";
import { userAgent } from "../../../network/userAgent";
import { interruptible, sleep } from "../../../support/abort";
import { isSafeAddress } from "../../../support/address";
import { DestinationError, DocsPlatformError, InterruptedError } from "../../../support/errors";
import type { OciDestination } from "../destination";
import { basicOf, type Challenge, parseChallenge, requestToken } from "./authority";
import { type Credentials, findCredentials } from "./credentials";
import { RegistryRefusal, refusalOf } from "./error";

const connectTimeout = 10_000;
/** A registry may take minutes to check a large layer; milliseconds. */
const idleTimeout = 300_000;
/** The rests between the attempts of a request that can be repeated, in milliseconds. */
const rests = [500, 1_000, 2_000] as const;
/** Manifests are small: registries take none above 4 MiB. */
const maxAnswerBytes = 4 * 1024 ** 2;

export interface RegistryRequest {
  method: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Below `/v2/<repository>/`, or a whole address that the registry has given. */
  path: string | URL;
  headers?: Record<string, string>;
  /** Content that comes once cannot be sent again. */
  body?: Buffer | AsyncIterable<Buffer>;
  /** Every other status is an error. */
  expected: readonly number[];
  signal?: AbortSignal | undefined;
}

export interface RegistryAnswer {
  status: number;
  headers: Dispatcher.ResponseData["headers"];
  body: Buffer;
}

/** Sends the requests of one repository, with the credentials of the Docker configuration where the registry wants some. */
export class RegistryClient {
  readonly #destination: OciDestination;
  readonly #agent: Agent;
  readonly #base: URL;
  #credentials: Promise<Credentials | undefined> | undefined;
  #authorization: string | undefined;

  constructor(destination: OciDestination) {
    const { registry, repository, plainHttp } = destination;
    // Docker's own registry has another name than its images.
    const host = registry === "docker.io" ? "registry-1.docker.io" : registry;
    this.#destination = destination;
    this.#base = new URL(`${plainHttp ? "http" : "https"}://${host}/v2/${repository}/`);
    this.#agent = new Agent({
      connect: createProcessConnector(connectTimeout),
      headersTimeout: idleTimeout,
      bodyTimeout: idleTimeout,
    });
  }

  /** The address of something in the repository, or one that the registry has given in an answer. */
  addressOf(path: string): URL {
    return new URL(path, this.#base);
  }

  /** @throws RegistryRefusal for an unexpected status; any other error is one of the network. */
  async send(request: RegistryRequest): Promise<RegistryAnswer> {
    const repeatable = request.body === undefined || Buffer.isBuffer(request.body);
    for (let attempt = 0; ; attempt++) {
      const outcome = await this.#authorized(request, repeatable).catch((error: Error) => error);
      if (request.signal?.aborted) {
        throw new InterruptedError();
      }
      if (!(outcome instanceof Error) && request.expected.includes(outcome.status)) {
        return outcome;
      }
      const fault = outcome instanceof Error ? outcome : refusalOf(outcome.status, outcome.body.toString("utf8"));
      const rest = repeatable && mayPass(fault) ? rests[attempt] : undefined;
      if (rest === undefined) {
        throw fault;
      }
      await interruptible(sleep(rest, request.signal));
    }
  }

  close(): void {
    this.#agent.destroy().catch(() => {});
  }

  /** Sends a request again, with new authorization, where the registry asks for that. */
  async #authorized(request: RegistryRequest, repeatable: boolean): Promise<RegistryAnswer> {
    const answer = await this.#once(request);
    const challenge = answer.status === 401 ? parseChallenge(answer.headers["www-authenticate"]) : undefined;
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
    this.#requireSafe(realm);
    const { repository } = this.#destination;
    const actions =
      method === "GET" || method === "HEAD" ? "pull" : method === "DELETE" ? "pull,push,delete" : "pull,push";
    const scope = `repository:${repository}:${actions}`;
    const send = (options: { method: "GET" | "POST"; headers: Record<string, string>; body?: string }, query: string) =>
      this.#request(new URL(query, realm), { ...options, signal });
    return requestToken({ realm, service: challenge.service, scope, credentials, send });
  }

  #once({ method, path, headers, body, signal }: RegistryRequest): Promise<RegistryAnswer> {
    const address = typeof path === "string" ? this.addressOf(path) : path;
    this.#requireSafe(address);
    // A registry may lead an upload to a storage, which must not see what is for the registry.
    const authorization = address.origin === this.#base.origin ? this.#authorization : undefined;
    const sent = { ...headers, ...(authorization !== undefined && { authorization }) };
    return this.#request(address, { method, headers: sent, body, signal });
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
    options.signal?.throwIfAborted();
    const { statusCode, headers, body } = await this.#agent.request({
      origin,
      path: pathname + search,
      method: options.method,
      headers: { "user-agent": userAgent(), ...options.headers },
      // The library takes any iterable of bytes; its types know streams only.
      body: (options.body as Buffer | undefined) ?? null,
      ...(options.signal && { signal: options.signal }),
    });
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of body) {
      bytes += chunk.length;
      if (bytes > maxAnswerBytes) {
        throw new Error("the answer is larger than any of a registry");
      }
      chunks.push(chunk);
    }
    return { status: statusCode, headers, body: Buffer.concat(chunks) };
  }

  #requireSafe(address: URL): void {
    if (!isSafeAddress(address, { plainLoopback: this.#destination.plainHttp })) {
      throw new DestinationError({
        happened: `the registry ${this.#destination.registry} leads to ${address.host} by plain http.`,
        remedy: "have its operator give https addresses: nothing was sent there.",
      });
    }
  }
}

function mayPass(fault: Error): boolean {
  if (fault instanceof RegistryRefusal) {
    return fault.status >= 500 || fault.status === 408 || fault.status === 429;
  }
  // Errors of connections have codes; faults of the program have none.
  return !(fault instanceof DocsPlatformError) && "code" in fault;
}
