import type { Agent } from "undici";
import { openStorageDispatcher } from "../../network/dispatcher";
import { downloadLinkAddressProblem } from "../../network/linkAddress";
import { userAgent } from "../../network/userAgent";
import { maxTimerMilliseconds } from "../../support/abort";
import { DestinationError } from "../../support/errors";
import { isThisMachine } from "../../support/hostNames";
import { type Clock, systemClock } from "../../support/time/clock";
import { timeLimits } from "../../support/time/timeLimits";
import type { StorageRetrier } from "../attempt";
import { type StorageRequest, sendToStorage } from "../sendToStorage";
import {
  type Challenge,
  createTokenRequest,
  type ExpiringAuthorization,
  formatBasicAuthorization,
  parseChallenge,
  readToken,
} from "./authorization";
import { type FoundCredentials, findRegistryCredentials } from "./credentials";
import type { OciDestination } from "./destination";
import { type RegistryAnswer, RegistryRefusalError } from "./error";

/** A token is renewed after this share of its lifetime. */
const renewedAfter = 0.75;

export interface RegistryRequest {
  method: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** The path below `/v2/<repository>/`, or a complete address from an answer of the registry. */
  path: string | URL;
  headers?: Record<string, string>;
  /** A stream can be read only once, so a repeated request needs a new stream. */
  body?: Buffer | AsyncIterable<Buffer>;
  accepts?: (status: number) => boolean;
  ignoresBody?: boolean;
  signal?: AbortSignal | undefined;
}

interface Access extends ExpiringAuthorization {
  challenge: Challenge;
  /** The number of actions that the token permits. The number 2 means the first two of `allActions`. */
  actions: number;
  since: number;
}

/** The requests of one repository. Credentials come from the Docker configuration. */
export class RegistryClient {
  readonly #agent: Agent;
  readonly #base: URL;
  #found: Promise<FoundCredentials> | undefined;
  /** The places where credentials were looked for; undefined if the registry requested no credentials. */
  credentialsText: string | undefined;
  #access: Access | undefined;

  constructor(
    private readonly destination: OciDestination,
    private readonly attempts: StorageRetrier,
    private readonly signal: AbortSignal,
    private readonly clock: Clock = systemClock,
  ) {
    const { registry, repository, plainHttp } = destination;
    // Image references call Docker's own registry `docker.io`, but another host serves the registry's API.
    const host = registry === "docker.io" ? "registry-1.docker.io" : registry;
    this.#base = new URL(`${plainHttp ? "http" : "https"}://${host}/v2/${repository}/`);
    this.#agent = openStorageDispatcher();
  }

  addressOf(path: string): URL {
    return new URL(path, this.#base);
  }

  /** @throws RegistryRefusalError for an unexpected status, DestinationError for a forbidden address. */
  send(request: RegistryRequest): Promise<RegistryAnswer> {
    const { signal = this.signal, accepts = () => false } = request;
    const send = async () => {
      const answer = await this.#authorized(request);
      if ((answer.status < 200 || answer.status >= 300) && !accepts(answer.status)) {
        throw new RegistryRefusalError(answer);
      }
      return answer;
    };
    return isStream(request) ? send() : this.attempts.request(send, signal);
  }

  close(): void {
    this.#agent.destroy().catch(() => {});
  }

  async #authorized(request: RegistryRequest): Promise<RegistryAnswer> {
    const isOwn = this.#isRegistry(this.#addressOf(request));
    const access = this.#access;
    if (isOwn && access && this.clock.now() > access.since + access.lifetime * renewedAfter) {
      await this.#authorize(access.challenge, request);
    }
    const answer = await this.#once(request);
    // Credentials are only for the registry itself, and not for a storage server to which it redirects.
    const challenge = answer.status === 401 && isOwn ? parseChallenge(answer.headers["www-authenticate"]) : undefined;
    if (challenge === undefined || !(await this.#authorize(challenge, request))) {
      return answer;
    }
    if (isStream(request)) {
      throw new RegistryRefusalError(answer, true);
    }
    return this.#once(request);
  }

  /** @returns false if the registry requests a password (`Basic`), and none was found. */
  async #authorize(challenge: Challenge, { method, signal }: RegistryRequest): Promise<boolean> {
    this.#found ??= findRegistryCredentials(this.destination, this.signal);
    const { credentials, where } = await this.#found;
    this.credentialsText = where;
    const since = this.clock.now();
    if (challenge.scheme === "basic") {
      const header = credentials?.kind === "password" ? formatBasicAuthorization(credentials) : undefined;
      const lifetime = Number.POSITIVE_INFINITY;
      this.#access = header === undefined ? undefined : { challenge, header, lifetime, since, actions: 0 };
      return header !== undefined;
    }
    const realm = this.addressOf(challenge.realm);
    this.#requireAllowed(realm);
    // A request that only reads also asks for `push`. Without `push`, many registries answer "denied" instead of "not
    // found" for a missing object. The new token must permit everything that the current token permits.
    const actions = Math.max(method === "DELETE" ? 3 : 2, this.#access?.actions ?? 0);
    const requestToken = async (count: number) => {
      const scope = `repository:${this.destination.repository}:${allActions.slice(0, count).join()}`;
      const { address, ...request } = createTokenRequest(realm, challenge.service, scope, credentials);
      return readToken(await this.#request(address, { ...request, signal }));
    };
    const token = await requestToken(actions).catch((error: unknown) => {
      // Some authorities refuse a token for `push` to a user who may only read. So a reading request then asks for
      // `pull` only.
      if (/^(GET|HEAD)$/.test(method) && error instanceof RegistryRefusalError && !error.next.mayPass) {
        return requestToken(1);
      }
      throw error;
    });
    this.#access = { ...token, challenge, actions, since };
    return true;
  }

  #once(request: RegistryRequest): Promise<RegistryAnswer> {
    const address = this.#addressOf(request);
    this.#requireAllowed(address);
    // The registry may choose a storage server for an upload. That server must not get the registry's authorization.
    const authorization = this.#isRegistry(address) ? this.#access?.header : undefined;
    return this.#request(address, {
      ...request,
      headers: { ...request.headers, ...(authorization !== undefined && { authorization }) },
    });
  }

  #addressOf({ path }: RegistryRequest): URL {
    return typeof path === "string" ? this.addressOf(path) : path;
  }

  #isRegistry({ origin }: URL): boolean {
    return origin === this.#base.origin;
  }

  async #request(
    address: URL,
    { body, ignoresBody = false, ...options }: Omit<RegistryRequest, "path" | "body"> & Pick<StorageRequest, "body">,
  ): Promise<RegistryAnswer> {
    const isSmall = body === undefined || typeof body === "string" || Buffer.isBuffer(body);
    const answer = await sendToStorage(this.#agent, {
      address,
      method: options.method,
      headers: { "user-agent": userAgent(), ...options.headers },
      body,
      signal: options.signal ?? this.signal,
      timeout: isSmall ? timeLimits.storageAnswer : maxTimerMilliseconds,
      isContent: (status) => ignoresBody && status < 400,
    });
    answer.content?.destroy();
    return answer;
  }

  /** Without this check, the registry could make this machine send the content to any server. */
  #requireAllowed(address: URL): void {
    const { registry, plainHttp } = this.destination;
    const rule = { from: "registry", loopback: plainHttp || isThisMachine(this.#base.hostname) };
    const problem = this.#isRegistry(address) ? undefined : downloadLinkAddressProblem(address, rule);
    if (problem !== undefined) {
      throw new DestinationError({
        happened: `the registry ${registry} points to ${address.host}${problem}; nothing was sent there`,
        remedy: "ask its operator to correct the addresses that it returns.",
      });
    }
  }
}

function isStream({ body }: RegistryRequest): boolean {
  return body !== undefined && !Buffer.isBuffer(body);
}

const allActions = ["pull", "push", "delete"];
