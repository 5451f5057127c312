import { userAgent } from "../network/userAgent";
import type { Settings } from "../settings/settings";
import { awaitPauseOrCancellation } from "../support/abort";
import {
  AuthenticationError,
  type DocsPlatformError,
  isTransient,
  RateLimitError,
  RequestError,
  RequestTimeoutError,
  RunCancelledError,
} from "../support/errors";
import { printable } from "../support/printable";
import { registerSecret } from "../support/redact";
import type { Clock } from "../support/time/clock";
import { Deadline } from "../support/time/deadline";
import { delays } from "../support/time/delays";
import { formatDuration } from "../support/time/duration";
import { retry } from "../support/time/retry";
import { words } from "../support/words";
import { rateLimitDelay, readPlatformClock, readRetryPause, retryDelay } from "./answerTimes";
import { getSharedApiKeyReader } from "./apiKeys";
import { type HttpRequest, type PlatformConnection, type RequestResult, requestIdOf } from "./connection";
import { RateLimiter } from "./rateLimiter";
import { mayHaveTakenEffect, requestFailureError } from "./requestError";
import { type Route, routePathOf } from "./routes";

export interface PlatformCallOptions {
  /**
   * The time limit of the call. A start or a message is tried once, even after it. Default: the longest time that all
   * retries and pauses can take.
   */
  deadline?: Deadline;
  /**
   * The default is the setting of the same name. Only with the default, more retries may follow a 429: see `isLimited`.
   * A wait passes 0 as soon as it repeats failed polls itself.
   */
  maxRetries?: number | undefined;
  signal: AbortSignal;
  /** Called before each pause after a 429, with the length of the pause in milliseconds. */
  onLimit?: (pause: number) => void;
  once?: DuplicateSendGuard;
}

export interface DuplicateSendGuard {
  /** The same in every attempt. A platform that knows the header counts all attempts as one request. */
  readonly idempotencyKey: string;
  /** Called right before the request is sent. If it throws, nothing is sent. */
  before(): Promise<void>;
  /** Called when it is certain that the request was not accepted. */
  refused(): Promise<void>;
}

export interface SuccessResponse {
  status: number;
  text: string;
  /**
   * The time of the answer, in milliseconds since the epoch: by the platform's clock, or by this machine's clock if the
   * answer has no Date header.
   */
  platformTime: number;
  requestId?: string | undefined;
  /** The pause that the platform asks for before the next request, in milliseconds. */
  retryAfter?: number | undefined;
  /** The platform's clock minus this machine's clock, in milliseconds. A difference of about a second counts as 0. */
  clockOffset: number;
}

export interface Transport {
  call(
    route: Route,
    ids: Record<string, string>,
    body: unknown,
    options: PlatformCallOptions,
  ): Promise<SuccessResponse>;
  checkLink(link: string, options: PlatformCallOptions): Promise<number | undefined>;
}

interface RequestAttempt {
  request: HttpRequest;
  attempt: RequestResult;
  title: string;
  number: number;
  /** The time from the request to its answer, in milliseconds. */
  took: number;
  pause?: { time: number; asked: boolean } | undefined;
}

interface TransportParts {
  connection: PlatformConnection;
  clock: Clock;
  random: () => number;
  trace: (line: string) => void;
}

/**
 * How often a call is repeated if its key was refused. The first repeat may use a key that another call has read
 * meanwhile. Before the second repeat, this call reads the key itself.
 */
const mostKeyChanges = 2;

export function createTransport(settings: Settings, { connection, clock, random, trace }: TransportParts): Transport {
  const limiter = new RateLimiter(settings.maxRequestsPerSecond, clock);
  for (const [, value] of settings.headers) {
    registerSecret(value);
  }
  const keys = getSharedApiKeyReader(settings.apiKey, clock);
  const basePath = new URL(settings.baseUrl).pathname.replace(/\/$/, "");

  async function callWith(key: string, [route, ids, body, options]: Parameters<Transport["call"]>) {
    const { once, maxRetries = settings.maxRetries, signal } = options;
    const path = basePath + routePathOf(route, ids);
    let deadline = options.deadline;
    let tried: RequestAttempt | undefined;
    let lastFailure: DocsPlatformError | undefined;

    async function tryOnce(retries: number): Promise<SuccessResponse> {
      tried = undefined;
      // However late it is, a start or a message is tried once: on a busy machine, its limit may pass before that.
      const isDue = !route.repeatable && lastFailure === undefined;
      await awaitPauseOrCancellation(limiter.turn(isDue ? undefined : deadline, signal));
      const [sentAt, began] = [clock.now(), clock.monotonic()];
      deadline ??= Deadline.in((settings.requestTimeout + delays.repeat.longest) * (maxRetries + 1), clock);
      if (deadline.hasPassed && !isDue) {
        // The failure of an earlier attempt says more than "too late".
        const tooLate = new RequestTimeoutError({
          happened: `"${route.title}" was not sent: its time limit had passed.`,
          remedy: `run \`${words.run}\` again, with a longer ${words.name("waitTimeout")} if there is one.`,
        });
        throw lastFailure ?? tooLate;
      }
      await once?.before();
      const request: HttpRequest = {
        method: route.method,
        origin: settings.origin,
        path,
        headers: {
          ...Object.fromEntries(settings.headers),
          accept: "application/json",
          authorization: `Bearer ${key}`,
          "user-agent": userAgent(),
          ...(body !== undefined && { "content-type": "application/json" }),
          ...(once !== undefined && { "idempotency-key": once.idempotencyKey }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      };
      // A request that must not be repeated always gets its full time, because only its answer says what was created.
      const timeout = route.repeatable ? Math.min(settings.requestTimeout, deadline.left) : settings.requestTimeout;
      const result = await connection.send(request, { fresh: !route.repeatable, timeout, signal });
      const receivedAt = sentAt + clock.monotonic() - began;
      if (result.kind === "answer") {
        limiter.answered(result.status);
      }
      const retryAfter = readRetryPause(result, receivedAt);
      tried = { request, attempt: result, title: route.title, number: retries + 1, took: receivedAt - sentAt };
      if (result.kind === "answer" && result.status >= 200 && result.status < 300) {
        trace(describeAttempt(tried));
        const { status, text } = result;
        return {
          status,
          text,
          requestId: requestIdOf(result),
          retryAfter,
          ...readPlatformClock(result, sentAt, receivedAt),
        };
      }
      if (!mayHaveTakenEffect({ route, result, retryAfter })) {
        await once?.refused();
        if (signal.aborted && result.kind === "broken") {
          throw new RunCancelledError();
        }
      }
      lastFailure = requestFailureError({ route, ids, result, retryAfter, settings });
      throw lastFailure;
    }

    return retry(tryOnce, {
      pauseAfter(error, retries) {
        const limited = isLimited(route, error, options, settings);
        return isTransient(error) && (limited || retries < maxRetries)
          ? (limited ? rateLimitDelay : retryDelay)(retries, error.retryAfter, random)
          : undefined;
      },
      get deadline() {
        return deadline;
      },
      onFailure(error, pause) {
        const asked = error instanceof RequestError && error.retryAfter !== undefined;
        if (tried !== undefined) {
          trace(describeAttempt({ ...tried, pause: pause === undefined ? undefined : { time: pause, asked } }));
        }
        if (pause !== undefined && error instanceof RateLimitError) {
          options.onLimit?.(pause);
        }
      },
      clock,
      signal,
    });
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
          // A request with a refused key was not accepted, so even a start may be sent again with another key.
          const isRefused = error instanceof AuthenticationError && changes < mostKeyChanges;
          if (!isRefused || !(await keys.hasChanged(reading, signal))) {
            throw error;
          }
        }
      }
    },
  };
}

/** Returns true if a rate limit has refused the request, and the client repeats the request until the deadline. */
function isLimited(
  { hourlyLimit }: Route,
  error: unknown,
  { deadline, maxRetries }: PlatformCallOptions,
  { waitsOutLimits }: Settings,
): boolean {
  if (!(error instanceof RateLimitError) || maxRetries !== undefined) {
    return false;
  }
  const isHourly = hourlyLimit !== undefined && deadline !== undefined;
  return waitsOutLimits ? isHourly || (error.retryAfter ?? 0) > 0 : isHourly && hourlyLimit === "known";
}

function describeAttempt({ request, attempt, title, number, took, pause }: RequestAttempt): string {
  const id = requestIdOf(attempt);
  const again = pause && `tried again in ${formatDuration(pause.time)}${pause.asked ? ", as the platform asks" : ""}`;
  const parts = [
    `${request.method} ${request.path}: ${attempt.kind === "answer" ? attempt.status : "no answer"}`,
    `${Math.round(took)} ms`,
    `attempt ${number}`,
    id && `request id ${id}`,
    again,
    attempt.kind === "broken" && attempt.error(title).happened,
  ];
  return printable(parts.filter(Boolean).join(", "));
}
