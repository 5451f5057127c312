import { userAgent } from "../network/userAgent";
import type { ApiKeySource } from "../settings/apiKeySource";
import type { Settings } from "../settings/settings";
import { interruptibleRest } from "../support/abort";
import {
  AmbiguousStartError,
  AuthenticationError,
  type DocsPlatformError,
  InterruptedError,
  TimeoutError,
} from "../support/errors";
import { addSecret } from "../support/redact";
import type { Clock } from "../support/time/clock";
import { Deadline } from "../support/time/deadline";
import { rests } from "../support/time/rests";
import { words } from "../support/words";
import { apiKeysOf } from "./apiKeys";
import type { Attempt, Connection, HttpRequest } from "./connection";
import { Limiter } from "./limiter";
import { describeTry, requestIdOf } from "./requestTrace";
import { limitDelay, mayRetry, parseRetryAfter, retryDelay } from "./retry";
import { type Route, routePathOf } from "./routes";
import { statusError } from "./statusError";

/** The options of one call. Its limits include the retries and the rests before them. */
export interface CallOptions {
  /** Default: late enough for every retry, and the rest before it, to take its longest time. */
  deadline?: Deadline;
  /**
   * The largest number of retries. Default: the number in the settings, and more after a 429 that names the time. A
   * wait repeats its own polls and gives 0.
   */
  maxRetries?: number | undefined;
  signal: AbortSignal;
  /** Called before each rest after a 429, with the length of the rest in milliseconds. */
  onLimit?: (rest: number) => void;
  /** The guard of a request that may not be repeated. */
  once?: OnceGuard;
}

/** The steps around each attempt of a request that may not be repeated. */
export interface OnceGuard {
  /**
   * Identical for every attempt: a platform that knows the Idempotency-Key header takes all attempts for one request.
   */
  readonly idempotencyKey: string;
  /** Called right before the request is sent. If it throws, nothing is sent. */
  before(): Promise<void>;
  /** Called when the request certainly was not accepted. */
  refused(): Promise<void>;
}

/** A 2xx answer. */
export interface SuccessResponse {
  status: number;
  text: string;
  location: string | undefined;
  /**
   * The time of the answer by the platform's Date header, else by this machine's clock. Milliseconds since the epoch.
   */
  platformTime: number;
  /** The id of the request in the platform's own logs, if the answer tells it. */
  requestId?: string | undefined;
  /**
   * The platform's clock minus this machine's clock, in milliseconds. The header has whole seconds, so smaller offsets
   * count as 0.
   */
  clockOffset: number;
}

/** Sends every call to the platform. Adds the key, the limits and the retries, and creates the errors. */
export interface Transport {
  call(route: Route, ids: Record<string, string>, body: unknown, options: CallOptions): Promise<SuccessResponse>;
  /** Requests a presigned link once, without the key. Returns the HTTP status, or undefined if no answer came. */
  checkLink(link: string, options: CallOptions): Promise<number | undefined>;
}

export interface TransportParts {
  connection: Connection;
  clock: Clock;
  /** A random number from 0 to below 1. */
  random: () => number;
  /** Called for each attempt of a request with one line for the debug log, which contains no secret. */
  trace: (line: string) => void;
}

/**
 * How often a call is repeated with another key: once with a key that another call has read meanwhile, and once with a
 * key that is read for this call.
 */
const mostKeyChanges = 2;

export function createTransport(settings: Settings, { connection, clock, random, trace }: TransportParts): Transport {
  const limiter = new Limiter(settings.maxRequestsPerSecond, clock);
  for (const [, value] of settings.headers) {
    addSecret(value);
  }
  const keys = apiKeysOf(settings.apiKey, clock);
  /** The time until which the platform wants no request of a route, in milliseconds since the epoch. */
  const heldUntil = new Map<Route, number>();
  const basePath = new URL(settings.baseUrl).pathname.replace(/\/$/, "");

  function attempt(route: Route, request: HttpRequest, timeLeft: number, signal: AbortSignal): Promise<Attempt> {
    // A request that is sent once always gets its full time: only its answer says what was created.
    const timeout = route.repeatable ? Math.min(settings.requestTimeout, timeLeft) : settings.requestTimeout;
    return connection.send(request, { fresh: !route.repeatable, timeout, signal });
  }

  /**
   * Returns the milliseconds for which the polls of all waits rest after a 429 to one poll: every other poll would get
   * a 429, too.
   */
  function holdOf(route: Route, deadline: Deadline | undefined): number {
    return route.repeatable && deadline !== undefined
      ? Math.min((heldUntil.get(route) ?? 0) - clock.now(), deadline.left)
      : 0;
  }

  /**
   * Resolves when a request may be sent, or at the deadline. Checks the hold again after the turn, since a 429 may come
   * meanwhile.
   */
  async function turn(
    route: Route,
    { deadline, signal }: CallOptions,
    retriesUntil: Deadline | undefined,
  ): Promise<void> {
    do {
      const hold = holdOf(route, deadline);
      if (hold > 0) {
        await interruptibleRest(clock.sleep(hold, signal));
      }
      await interruptibleRest(limiter.turn(retriesUntil, signal));
    } while (holdOf(route, deadline) > 0);
  }

  async function callWith(
    key: string,
    [route, ids, body, options]: Parameters<Transport["call"]>,
  ): Promise<SuccessResponse> {
    const { once, maxRetries = settings.maxRetries } = options;
    let path = basePath + routePathOf(route, ids);
    let redirects = 0;
    let deadline = options.deadline;
    for (let retry = 0; ; retry++) {
      await turn(route, options, deadline);
      const sentAt = clock.now();
      deadline ??= Deadline.in((settings.requestTimeout + rests.repeat.longest) * (maxRetries + 1), clock);
      if (deadline.hasPassed) {
        throw tooLate(route);
      }
      await once?.before();
      // Created after `before()`, which may replace the idempotency key with the key of an earlier start.
      const request = requestOf(settings, key, route, path, body, once?.idempotencyKey);
      const result = await attempt(route, request, deadline.left, options.signal);
      const receivedAt = clock.now();
      if (result.kind === "answer") {
        limiter.answered(sentAt, result.status);
      }
      const tried = { request, attempt: result, title: route.title, number: retry + 1, took: receivedAt - sentAt };
      if (result.kind === "answer" && result.status >= 200 && result.status < 300) {
        trace(describeTry(tried));
        const { status, text } = result;
        const location = single(result.headers.location);
        return { status, text, location, requestId: requestIdOf(result), ...answerTimes(result, sentAt, receivedAt) };
      }
      const retryAfter = retryAfterOf(result, receivedAt);
      if (!isDoubtful(route, result, retryAfter)) {
        await once?.refused();
        if (options.signal.aborted && result.kind === "broken") {
          throw new InterruptedError();
        }
      }
      const target = redirects < mostRedirects ? redirectOf(route, result, settings.origin, path) : undefined;
      if (target !== undefined) {
        trace(describeTry(tried));
        redirects++;
        path = target;
        continue;
      }
      if (result.kind === "answer" && result.status === 429) {
        heldUntil.set(route, receivedAt + (retryAfter ?? 0));
      }
      const limited = isLimited(route, result, retryAfter, options, settings);
      const delay = (limited ? limitDelay : retryDelay)(retry, retryAfter, random);
      const isLast =
        (retry >= maxRetries && !limited) || !mayRetry(route.repeatable, result, retryAfter) || !deadline.allows(delay);
      trace(describeTry({ ...tried, rest: isLast ? undefined : { time: delay, asked: retryAfter !== undefined } }));
      if (isLast) {
        throw failure(route, ids, result, retryAfter, settings.apiKey);
      }
      if (result.kind === "answer" && result.status === 429) {
        options.onLimit?.(delay);
      }
      await interruptibleRest(clock.sleep(delay, options.signal));
    }
  }

  return {
    checkLink: (link, { signal }) => connection.checkLink(link, { timeout: settings.requestTimeout, signal }),

    async call(...request) {
      const { signal } = request[3];
      for (let changes = 0; ; changes++) {
        const reading = await keys.current(signal);
        try {
          return await callWith(reading.key, request);
        } catch (error) {
          // A request that was refused because of its key was not accepted, so that even a start may be sent again.
          const isRefused = error instanceof AuthenticationError && changes < mostKeyChanges;
          if (!isRefused || !(await keys.hasChanged(reading, signal))) {
            throw error;
          }
        }
      }
    },
  };
}

/** The largest number of redirects: enough for a slash at the end and for another version. */
const mostRedirects = 3;

/**
 * Returns the target of a redirect that keeps the method and the origin. Any other redirect is not followed, since the
 * key goes to no other origin.
 * @returns the path and query of the target; undefined for any other answer.
 */
function redirectOf(route: Route, result: Attempt, origin: string, path: string): string | undefined {
  const statuses = route.method === "GET" ? [301, 307, 308] : [307, 308];
  if (result.kind !== "answer" || !statuses.includes(result.status)) {
    return undefined;
  }
  const location = single(result.headers.location) ?? "";
  const target = URL.canParse(location, origin + path) ? new URL(location, origin + path) : undefined;
  return location !== "" && target?.origin === origin ? target.pathname + target.search : undefined;
}

function requestOf(
  settings: Settings,
  key: string,
  route: Route,
  path: string,
  body: unknown,
  idempotencyKey: string | undefined,
): HttpRequest {
  return {
    method: route.method,
    origin: settings.origin,
    path,
    headers: {
      ...Object.fromEntries(settings.headers),
      accept: "application/json",
      authorization: `Bearer ${key}`,
      "user-agent": userAgent(),
      ...(body !== undefined && { "content-type": "application/json" }),
      ...(idempotencyKey !== undefined && { "idempotency-key": idempotencyKey }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  };
}

/**
 * Returns the number of milliseconds after which the platform wants the next request. A date in the answer is compared
 * with the platform's own clock.
 */
function retryAfterOf(result: Attempt, receivedAt: number): number | undefined {
  return result.kind === "answer"
    ? parseRetryAfter(single(result.headers["retry-after"]), dateOf(result) ?? receivedAt)
    : undefined;
}

/**
 * Returns true if a 429 is waited out until the deadline, with any number of attempts. This needs a known time: the
 * platform names it, or the API text has an hourly limit. One rest is often not enough, since others may use the same
 * key.
 */
function isLimited(
  route: Route,
  result: Attempt,
  retryAfter: number | undefined,
  { deadline, maxRetries }: CallOptions,
  { waitsOutLimits }: Settings,
): boolean {
  if (result.kind !== "answer" || result.status !== 429 || maxRetries !== undefined) {
    return false;
  }
  return (waitsOutLimits && (retryAfter ?? 0) > 0) || (route.hourlyLimit === true && deadline !== undefined);
}

function tooLate(route: Route): DocsPlatformError {
  return new TimeoutError({
    happened: `"${route.title}" was not sent: its time limit had passed.`,
    remedy: `run \`${words.run}\` again, with a longer ${words.name("waitTimeout")} if there is one.`,
  });
}

/**
 * Returns true if the platform may have acted on a request that may not be repeated, although no answer confirms it.
 */
function isDoubtful(route: Route, result: Attempt, retryAfter: number | undefined): boolean {
  if (route.repeatable) {
    return false;
  }
  if (result.kind === "broken") {
    return result.sent;
  }
  const undecided = result.status === 408 || result.status >= 500;
  return undecided && !(result.status === 503 && retryAfter !== undefined);
}

function failure(
  route: Route,
  ids: Record<string, string>,
  result: Attempt,
  retryAfter: number | undefined,
  apiKey: ApiKeySource,
): DocsPlatformError {
  const doubtful = isDoubtful(route, result, retryAfter);
  if (result.kind === "broken") {
    const error = result.error(route.title);
    return doubtful ? ambiguous(route, error.happened) : error;
  }
  if (doubtful) {
    const id = requestIdOf(result);
    return ambiguous(
      route,
      `the platform answered HTTP ${result.status}${id === undefined ? "" : ` (request id ${id})`}`,
    );
  }
  return statusError({
    route,
    ids,
    status: result.status,
    text: result.text,
    retryAfter,
    location: single(result.headers.location),
    requestId: requestIdOf(result),
    apiKey,
  });
}

function ambiguous(route: Route, cause: string): DocsPlatformError {
  return new AmbiguousStartError({
    happened: `"${route.title}" was sent, but its answer was lost: ${cause.replace(/\.$/, "")}. It is not sent again automatically.`,
    remedy: `check on the platform if it took effect before you run \`${words.run}\` again.`,
  });
}

function answerTimes(
  result: Attempt,
  sentAt: number,
  receivedAt: number,
): { platformTime: number; clockOffset: number } {
  const header = dateOf(result);
  if (header === undefined) {
    return { platformTime: receivedAt, clockOffset: 0 };
  }
  // The platform wrote the header between sending and receiving, and cut it to a whole second.
  const offset = header + 500 - (sentAt + receivedAt) / 2;
  const uncertainty = 500 + (receivedAt - sentAt) / 2;
  return Math.abs(offset) <= uncertainty + 1_000
    ? { platformTime: receivedAt, clockOffset: 0 }
    : { platformTime: receivedAt + offset, clockOffset: offset };
}

/**
 * The year 10000, in milliseconds since the epoch. A later Date header is ignored, since it cannot be written as a
 * time.
 */
const latestTime = 253_402_300_800_000;

/** Returns the answer's Date header, in milliseconds since the epoch. */
function dateOf(result: Attempt): number | undefined {
  const time = result.kind === "answer" ? Date.parse(single(result.headers.date) ?? "") : Number.NaN;
  return time > 0 && time < latestTime ? time : undefined;
}

function single(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}
