import type { ApiKeySource } from "../settings/apiKeySource";
import { apiKey, placesOf, projectIdPlace } from "../settings/settingTable";
import {
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
import { fieldsIn, parseBody } from "./readBody";
import type { Route } from "./routes";
import { errorText, startedExportBody } from "./schemas";

/** An answer that is not 2xx. */
export interface Refusal {
  route: Route;
  ids: Record<string, string>;
  status: number;
  text: string;
  /** The time of `Retry-After`, in milliseconds; undefined if the answer names none. */
  retryAfter: number | undefined;
  location: string | undefined;
  /** The id of the request in the platform's own logs, if the answer tells it. */
  requestId?: string | undefined;
  apiKey: ApiKeySource;
}

/** Creates the error for an answer that is not 2xx, by its status. The API text shows 400, 404 and 429. */
export function statusError(refusal: Refusal): DocsPlatformError {
  const { route, status } = refusal;
  const said = platformText(refusal.text);
  const subject = Object.entries(refusal.ids).map(([name, id]) => `${words.name(name)} ${id}`);
  const id = refusal.requestId === undefined ? "" : ` (request id ${refusal.requestId})`;
  const happened = `"${route.title}"${subject.length > 0 ? ` (${subject.join(", ")})` : ""} was answered HTTP ${status}${said ? `: ${said}` : ""}${id}`;
  switch (status) {
    case 401:
      return new AuthenticationError({
        happened: `the platform does not accept the admin API key: ${happened}`,
        remedy: `${keyRemedy(refusal.apiKey)} Keys expire; create a new one on the API keys page of the dashboard.`,
      });
    case 402:
    case 403:
      return new PermissionError({
        happened,
        remedy: `one of these is missing: the Enterprise plan, which static export requires; write scope on the key (creating a link is a write, also in a refresh); this machine's address on the key's allow-list; the key's access to this organization${"projectId" in refusal.ids ? `, and to the project that ${projectIdAndPlace()} names` : ""}.`,
      });
    case 404:
      return new NotFoundError({
        happened,
        status,
        remedy: `check the id, the base URL and the organization of the key${"projectId" in refusal.ids ? `, and ${projectIdAndPlace()}` : ""}.`,
      });
    case 409:
      return new ConflictError({
        happened,
        status,
        jobId: namedJob(refusal.text),
        retryAfter: refusal.retryAfter,
        remedy: `wait until the other job has ended, then run \`${words.run}\` again.`,
      });
    case 429:
      return new RateLimitError({
        happened,
        retryAfter: refusal.retryAfter,
        remedy: `try again ${refusal.retryAfter === undefined ? "later; the platform did not say when" : `in ${formatDuration(refusal.retryAfter)}, as the platform asks`}.`,
      });
    default:
      return otherStatus(refusal, happened);
  }
}

function projectIdAndPlace(): string {
  return `${words.name("projectId")} (${projectIdPlace})`;
}

function keyRemedy(source: ApiKeySource): string {
  if (typeof source === "string") {
    return `set a valid key in ${placesOf(apiKey)}.`;
  }
  return "file" in source
    ? `put a valid key into the file ${source.file} (${source.from}): this run read the file again, and found the same key.`
    : `make the command in ${source.from} print a valid key: this run started it again, and it printed the same key.`;
}

/** Returns the id of the job that is in the way. The API text shows no body for this answer. */
function namedJob(text: string): string | undefined {
  try {
    const results = fieldsIn(parseBody(text)).map((fields) => startedExportBody.safeParse(fields));
    return results.find(({ success }) => success)?.data?.jobId;
  } catch {
    return undefined;
  }
}

function otherStatus({ status, location, retryAfter }: Refusal, happened: string): DocsPlatformError {
  if (status >= 500 || status === 408) {
    return new ServerError({ happened, status, retryAfter, remedy: "the platform has a fault: try again later." });
  }
  if (status >= 300 && status < 400) {
    const target = location !== undefined && URL.canParse(location) ? ` to ${new URL(location).origin}` : "";
    return new RefusedError({
      happened: `${happened}, a redirect${target}. This run did not follow it, because it sends the key only to the base URL`,
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
