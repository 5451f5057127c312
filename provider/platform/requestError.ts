import type { ApiKeySource } from "../settings/apiKeySource";
import { apiKey as keySetting, placesOf, projectIdPlace } from "../settings/settingTable";
import {
  AmbiguousStartError,
  AuthenticationError,
  ConflictError,
  type DocsPlatformError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  RefusedError,
  ServerError,
} from "../support/errors";
import { formatDuration } from "../support/time/duration";
import { words } from "../support/words";
import { type Attempt, type HttpAnswer, headerOf } from "./connection";
import { requestIdOf } from "./requestTrace";
import type { Route } from "./routes";
import { errorText, fieldsIn, startedExportBody } from "./schemas";

export interface FailedRequest {
  route: Route;
  ids: Record<string, string>;
  result: Attempt;
  /** The time of `Retry-After`, in milliseconds; undefined if the answer names none. */
  retryAfter: number | undefined;
  apiKey: ApiKeySource;
}

/**
 * Returns true if the platform may have acted on a request that may not be repeated, although no answer confirms it. No
 * connection, 429, and 503 with Retry-After mean that it has not (the docs name the case of 503 as an assumption).
 */
export function isDoubtful({ route, result, retryAfter }: Pick<FailedRequest, "route" | "result" | "retryAfter">) {
  if (route.repeatable || result.kind === "broken") {
    return !route.repeatable && result.kind === "broken" && result.sent;
  }
  const undecided = result.status === 408 || result.status >= 500;
  return undecided && !(result.status === 503 && retryAfter !== undefined);
}

export function failure(failed: FailedRequest): DocsPlatformError {
  const { route, result } = failed;
  const isBroken = result.kind === "broken";
  if (!isDoubtful(failed)) {
    return isBroken ? result.error(route.title) : statusError(failed, result);
  }
  const cause = isBroken
    ? result.error(route.title).happened
    : `the platform answered HTTP ${result.status}${inBrackets(requestIdOf(result))}`;
  return new AmbiguousStartError({
    happened: `"${route.title}" was sent, but its answer was lost: ${cause.replace(/\.$/, "")}. It is not sent again automatically.`,
    remedy: `check on the platform if it took effect before you run \`${words.run}\` again.`,
  });
}

export function inBrackets(requestId: string | undefined): string {
  return requestId === undefined ? "" : ` (request id ${requestId})`;
}

/** Creates the error for an answer that is not 2xx, by its status. The API text shows 400, 404 and 429. */
function statusError(failed: FailedRequest, answer: HttpAnswer): DocsPlatformError {
  const { route, ids, retryAfter, apiKey } = failed;
  const { status, text } = answer;
  const said = platformText(text);
  const subject = Object.entries(ids).map(([name, id]) => `${words.name(name)} ${id}`);
  const happened = `"${route.title}"${subject.length > 0 ? ` (${subject.join(", ")})` : ""} was answered HTTP ${status}${said ? `: ${said}` : ""}${inBrackets(requestIdOf(answer))}`;
  const project = `${words.name("projectId")} (${projectIdPlace})`;
  const hasProject = "projectId" in ids;
  switch (status) {
    case 401:
      return new AuthenticationError({
        happened: `the platform does not accept the admin API key: ${happened}`,
        remedy: `${keyRemedy(apiKey)} Keys expire; create a new one on the API keys page of the dashboard.`,
      });
    case 402:
    case 403:
      return new PermissionError({
        happened,
        remedy: `one of these is missing: the Enterprise plan, which static export requires; write scope on the key (creating a link is a write, also in a refresh); this machine's address on the key's allow-list; the key's access to this organization${hasProject ? `, and to the project that ${project} names` : ""}.`,
      });
    case 404:
      return new NotFoundError({
        happened,
        status,
        remedy: `check the id, the base URL and the organization of the key${hasProject ? `, and ${project}` : ""}.`,
      });
    case 409:
      return new ConflictError({
        happened,
        status,
        jobId: namedJob(text),
        retryAfter,
        remedy: `wait until the running job has ended, then run \`${words.run}\` again.`,
      });
    case 429:
      return new RateLimitError({
        happened,
        retryAfter,
        remedy: `try again ${retryAfter === undefined ? "later; the platform did not say when" : `in ${formatDuration(retryAfter)}, as the platform asks`}.`,
      });
    default:
      return otherStatus(answer, retryAfter, happened);
  }
}

function keyRemedy(source: ApiKeySource): string {
  if (typeof source === "string") {
    return `set a valid key in ${placesOf(keySetting)}.`;
  }
  return "file" in source
    ? `put a valid key into the file ${source.file} (${source.from}): this run read the file again, and found the same key.`
    : `make the command in ${source.from} print a valid key: this run started it again, and it printed the same key.`;
}

/** Returns the id of the job that is in the way. The API text shows no body for this answer. */
function namedJob(text: string): string | undefined {
  try {
    const results = fieldsIn(JSON.parse(text)).map((fields) => startedExportBody.safeParse(fields));
    return results.find(({ success }) => success)?.data?.jobId;
  } catch {
    return undefined;
  }
}

function otherStatus(answer: HttpAnswer, retryAfter: number | undefined, happened: string): DocsPlatformError {
  const { status } = answer;
  const location = headerOf(answer, "location");
  if (status >= 500 || status === 408) {
    return new ServerError({ happened, status, retryAfter, remedy: "the platform has a fault: try again later." });
  }
  if (status >= 300 && status < 400) {
    const target = location !== undefined && URL.canParse(location) ? ` to ${new URL(location).origin}` : "";
    return new RefusedError({
      happened: `${happened}, a redirect${target}. No redirect is followed, because the key goes only to the base URL`,
      remedy: `set the base URL to the platform's own address; if only the path differs, set that path in ${words.name("routes")}.`,
    });
  }
  return new RefusedError({ happened, status, retryAfter, remedy: "fix the error that the platform reports." });
}

/** Returns the platform's message: `{error}` by the API text, else the text of the body, unless the body is a page. */
function platformText(text: string): string | undefined {
  try {
    return errorText(JSON.parse(text));
  } catch {
    return /^\s*</.test(text) ? "an HTML or XML page, perhaps from a proxy" : errorText(text);
  }
}
