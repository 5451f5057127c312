import { userAgent } from "../network/userAgent";
import type { ApiKeySource } from "../settings/apiKeySource";
import type { Settings } from "../settings/settings";
import { interruptible } from "../support/abort";
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
import type { Attempt, Connection, Request } from "./connection";
import { Limiter } from "./limiter";
import { describeTry, requestIdOf } from "./requestTrace";
import { limitDelay, mayRetry, parseRetryAfter, retryDelay } from "./retry";
import { pathOf, type Route } from "./routes";
import { statusError } from "./statusError";

/** How long and how often a caller lets one call go on, with its retries and their rests. */
export interface CallOptions {
  /** Default: late enough for every retry, and the rest before it, to take its longest time. */
  deadline?: Deadline;
  /**
   * How often the call is repeated; by default as often as the settings allow, and longer where a 429 names the time. A wait
   * repeats its own polls: 0.
   */
  maxRetries?: number | undefined;
  signal: AbortSignal;
  /** Told before each rest that a 429 makes necessary, with its length in milliseconds. */
  onLimit?: (rest: number) => void;
  /** For a request that may not be repeated. */
  once?: OnceGuard;
}

/** What must happen around each try of a request that may not be repeated. */
export interface OnceGuard {
  /** The same for every try: a platform that knows the Idempotency-Key header takes all tries for one request. */
  readonly idempotencyKey: string;
  /** Called right before the request is sent. Where this throws, nothing is sent. */
  before(): Promise<void>;
  /** Called when the request certainly was not accepted. */
  refused(): Promise<void>;
}

/** A 2xx answer. */
export interface SuccessResponse {
  status: number;
  text: string;
  /** The header Location. */
  location: string | undefined;
  /** The time by the platform's Date header, else by this machine's clock. Milliseconds since the epoch. */
  platformTime: number;
  /** How the platform's own logs call the request, where it tells. */
  requestId?: string | undefined;
  /** The platform's clock minus this machine's, in milliseconds. A header has whole seconds, so smaller offsets count as 0. */
  clockOffset: number;
}

/** Every call to the platform goes through here: it adds the key, the limits, the retries and the errors. */
export interface Transport {
  call(route: Route, ids: Record<string, string>, body: unknown, options: CallOptions): Promise<SuccessResponse>;
  /** Requests a presigned link once, without the key. Returns the HTTP status, or undefined where no answer came. */
  checkLink(link: string, options: CallOptions): Promise<number | undefined>;
}

export interface TransportParts {
  connection: Connection;
  clock: Clock;
  /** From 0 to below 1. */
  random: () => number;
  /** Told each try of a request, for a run that is debugged: one line without a secret. */
  trace: (line: string) => void;
}

/** How often a call is made again with another key: one that another call has read meanwhile, and one read for this call. */
const mostKeyChanges = 2;

export function createTransport(settings: Settings, { connection, clock, random, trace }: TransportParts): Transport {
  const limiter = new Limiter(settings.maxRequestsPerSecond, clock);
  for (const [, value] of settings.headers) {
    addSecret(value);
  }
  const keys = apiKeysOf(settings.apiKey, clock);
  /** Until when the platform wants no request of a route; milliseconds since the epoch. */
  const heldUntil = new Map<Route, number>();
  const basePath = new URL(settings.baseUrl).pathname.replace(/\/$/, "");

  function attempt(route: Route, request: Request, timeLeft: number, signal: AbortSignal): Promise<Attempt> {
    // A request that is sent once always gets its full time: only its answer says what was created.
    const timeout = route.repeatable ? Math.min(settings.requestTimeout, timeLeft) : settings.requestTimeout;
    return connection.send(request, { fresh: !route.repeatable, timeout, signal });
  }

  /** Milliseconds that the polls of all waits rest after a 429 to one of them: each would only be answered the same. */
  function holdOf(route: Route, deadline: Deadline | undefined): number {
    return route.repeatable && deadline !== undefined
      ? Math.min((heldUntil.get(route) ?? 0) - clock.now(), deadline.left)
      : 0;
  }

  /** Resolves when a request may be sent, or at the deadline. A 429 may come while a poll waits for its turn. */
  async function turn(
    route: Route,
    { deadline, signal }: CallOptions,
    retriesUntil: Deadline | undefined,
  ): Promise<void> {
    do {
      const hold = holdOf(route, deadline);
      if (hold > 0) {
        await interruptible(clock.sleep(hold, signal));
      }
      await interruptible(limiter.turn(retriesUntil, signal));
    } while (holdOf(route, deadline) > 0);
  }

  async function callWith(
    key: string,
    [route, ids, body, options]: Parameters<Transport["call"]>,
  ): Promise<SuccessResponse> {
    const { once, maxRetries = settings.maxRetries } = options;
    let path = basePath + pathOf(route, ids);
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
      // What is recorded before may be about an earlier start, whose key goes on.
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
      await interruptible(clock.sleep(delay, options.signal));
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
          // What is refused for its key was not accepted: a start may be sent again, too.
          const isRefused = error instanceof AuthenticationError && changes < mostKeyChanges;
          if (!isRefused || !(await keys.hasChanged(reading, signal))) {
            throw error;
          }
        }
      }
    },
  };
}

/** Enough for a slash at the end and another version. */
const mostRedirects = 3;

/**
 * Where an answer sends a request: with the same method, and below the same origin, since the key goes nowhere else.
 * @returns the path and query there; undefined for any other answer.
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
): Request {
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

/** After how many milliseconds the platform wants the next request. Where it names a time, its own clock counts. */
function retryAfterOf(result: Attempt, receivedAt: number): number | undefined {
  return result.kind === "answer"
    ? parseRetryAfter(single(result.headers["retry-after"]), dateOf(result) ?? receivedAt)
    : undefined;
}

/**
 * Whether a 429 is waited out until the deadline, however many tries that takes. It is where the time is known: the platform
 * names it, or the API text has an hourly limit. Others may use the same key, so that one rest is often not enough.
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

/** Whether the platform may have acted on a request that may not be repeated, though no answer says so. */
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

/** The year 10000. A later Date header is ignored, since it could not be written as a time. */
const latestTime = 253_402_300_800_000;

/** The answer's Date header, in milliseconds since the epoch. */
function dateOf(result: Attempt): number | undefined {
  const time = result.kind === "answer" ? Date.parse(single(result.headers.date) ?? "") : Number.NaN;
  return time > 0 && time < latestTime ? time : undefined;
}

function single(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}
