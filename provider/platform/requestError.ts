import type { ApiKeySource } from "../settings/apiKeySource";
import { parseRouteTemplates, type RouteTemplates, splitRouteTemplate } from "../settings/routeTemplates";
import type { Settings } from "../settings/settings";
import { baseUrl, describeSettingPlaces, apiKey as keySetting, projectIdHint, routes } from "../settings/settingTable";
import {
  AmbiguousStartError,
  AuthenticationError,
  ConflictError,
  type DocsPlatformError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  RequestRejectedError,
  ServerError,
} from "../support/errors";
import { formatDuration } from "../support/time/duration";
import { words } from "../support/words";
import { type HttpAnswer, headerOf, type RequestResult, requestIdOf } from "./connection";
import { isMarkup, quoteErrorBody } from "./errorText";
import { type Route, routePathOf } from "./routes";
import { bodyAndUnwrappedData, startedExportResponse } from "./schemas";

interface FailedRequest {
  route: Route;
  ids: Record<string, string>;
  result: RequestResult;
  /** The pause that the answer asks for, in milliseconds. */
  retryAfter: number | undefined;
  settings: Pick<Settings, "apiKey" | "baseUrl" | "routes">;
}

/**
 * Returns true if the platform may have acted on a request that must not be repeated. A 503 with Retry-After counts as
 * "not acted". The docs describe this assumption.
 */
export function mayHaveTakenEffect(failed: Pick<FailedRequest, "route" | "result" | "retryAfter">): boolean {
  const { route, result, retryAfter } = failed;
  if (route.repeatable || result.kind === "broken") {
    return !route.repeatable && result.kind === "broken" && result.sent;
  }
  // 501 means that the server does not know this operation, so it has not acted.
  const undecided = result.status === 408 || (result.status >= 500 && result.status !== 501);
  return undecided && !(result.status === 503 && retryAfter !== undefined);
}

export function requestFailureError(failed: FailedRequest): DocsPlatformError {
  const { route, result } = failed;
  const isBroken = result.kind === "broken";
  if (!mayHaveTakenEffect(failed)) {
    return isBroken ? result.error(route.title) : statusError(failed, result);
  }
  const cause = isBroken
    ? result.error(route.title).happened
    : `the platform answered HTTP ${result.status}${requestIdSuffix(requestIdOf(result))}`;
  return new AmbiguousStartError({
    happened: `"${route.title}" was sent, but its answer was lost: ${cause.replace(/\.$/, "")}. It is not sent again automatically.`,
    remedy: `check on the platform if it took effect before you run \`${words.run}\` again.`,
  });
}

export function requestIdSuffix(requestId: string | undefined): string {
  return requestId === undefined ? "" : ` (request id ${requestId})`;
}

/** The API text shows only the statuses 400, 404 and 429. */
function statusError(failed: FailedRequest, answer: HttpAnswer): DocsPlatformError {
  const { route, ids, retryAfter, settings } = failed;
  const { status, text } = answer;
  const said = quoteErrorBody(text);
  const requestPath = route.path.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? "");
  const pathRemedy = `If your platform has another path for "${route.title}", set it in ${describeSettingPlaces(routes)}.`;
  const subject = Object.entries(ids).map(([name, id]) => `${words.name(name)} ${id}`);
  const happened = `"${route.title}"${subject.length > 0 ? ` (${subject.join(", ")})` : ""} was answered HTTP ${status}${said ? `: ${said}` : ""}${requestIdSuffix(requestIdOf(answer))}`;
  const project = `${words.name("projectId")} (${projectIdHint})`;
  const hasProject = "projectId" in ids;
  switch (status) {
    case 401:
      return new AuthenticationError({
        happened: `the platform does not accept the admin API key: ${happened}`,
        remedy: `${keyRemedy(settings.apiKey)} Keys expire; create a new one on the API keys page of the dashboard.`,
      });
    case 402:
    case 403:
      return new PermissionError({
        happened,
        remedy: `one of these is missing: the Enterprise plan, which static export requires; write scope on the key (creating a link is a write, also in a refresh); this machine's address on the key's allow-list; the key's access to this organization${hasProject ? `, and to the project that ${project} names` : ""}.`,
      });
    case 404:
      if (isMarkup(text) || isAboutRoute(text, said, requestPath)) {
        return new RequestRejectedError({
          happened: `nothing of the admin API is at this address: ${happened}`,
          status,
          remedy: `the base URL or a path is wrong: check ${describeSettingPlaces(baseUrl)}. ${pathRemedy}`,
        });
      }
      return new NotFoundError({
        happened,
        status,
        remedy:
          subject.length === 0
            ? `check the base URL in ${describeSettingPlaces(baseUrl)}, the domain, and the organization of the key. ${pathRemedy}`
            : `check the id, the base URL and the organization of the key${hasProject ? `, and ${project}` : ""}.`,
      });
    case 409:
      return new ConflictError({
        happened,
        status,
        ...namedJob(text),
        retryAfter,
        remedy: `wait until the running job has ended, then run \`${words.run}\` again.`,
      });
    case 429:
      return new RateLimitError({
        happened,
        retryAfter,
        remedy: `try again ${retryAfter === undefined ? "later; the platform did not say when" : `in ${formatDuration(retryAfter)}, as the platform asks`}.`,
      });
    case 405:
    case 501:
      return new RequestRejectedError({
        happened,
        status,
        remedy: `the platform does not have this operation at this path: check ${describeSettingPlaces(baseUrl)}. If your platform has another path or method for "${route.title}", set it in ${describeSettingPlaces(routes)}.`,
      });
    default:
      if (status >= 500 || status === 408) {
        return new ServerError({ happened, status, retryAfter, remedy: "the platform has a fault: try again later." });
      }
      return status >= 300 && status < 400
        ? redirectError(failed, answer, happened)
        : new RequestRejectedError({
            happened,
            status,
            retryAfter,
            remedy: "fix the error that the platform reports.",
          });
  }
}

function keyRemedy(source: ApiKeySource): string {
  if (typeof source === "string") {
    return `set a valid key in ${describeSettingPlaces(keySetting)}.`;
  }
  return "file" in source
    ? `put a valid key into the file ${source.file} (${source.from}): this run read the file again, and found the same key.`
    : `make the command in ${source.from} print a valid key: this run started it again, and it printed the same key.`;
}

/** Returns the job that prevents the start, if the answer names it. The API text shows no body for this answer. */
function namedJob(text: string): { jobId?: string; domain?: string | undefined } {
  try {
    const results = bodyAndUnwrappedData(JSON.parse(text)).map((fields) => startedExportResponse.safeParse(fields));
    const { jobId, domain } = results.find(({ success }) => success)?.data ?? {};
    return jobId === undefined ? {} : { jobId, domain };
  } catch {
    return {};
  }
}

/**
 * Returns true if a 404 is about the address, and false if it is about the job. The words of usual frameworks decide.
 */
function isAboutRoute(text: string, said = "", requestPath: string): boolean {
  return (
    said.includes(requestPath) ||
    /^\s*(404 )?not found\.?\s*$/i.test(text) ||
    /\bcannot (get|post) |\bno (such )?(route|endpoint|handler|page)\b|\b(route|endpoint|page) (was )?not found/i.test(
      said,
    )
  );
}

/** These redirects lead to another address of the same operation. Other redirects often lead to a sign-in page. */
const sameOperation: readonly number[] = [301, 307, 308];

/** Returns the error for a redirect. The error names the new address without its query, which may contain a secret. */
function redirectError(failed: FailedRequest, answer: HttpAnswer, happened: string): RequestRejectedError {
  const { route, ids, settings } = failed;
  const asked = settings.baseUrl + routePathOf(route, ids);
  const location = headerOf(answer, "location");
  const target = location !== undefined && URL.canParse(location, asked) ? new URL(location, asked) : undefined;
  const place = target === undefined ? "" : ` to ${target.origin}${target.pathname}`;
  const templates = target && sameOperation.includes(answer.status) ? templatesFor(failed, target) : undefined;
  return new RequestRejectedError({
    happened: `${happened}, a redirect${place}. No redirect is followed, because the key goes only to the base URL`,
    remedy:
      templates === undefined
        ? `set the base URL to the platform's own address; if only the path differs, set that path in ${words.name("routes")}.`
        : `if that is the right path, set ${describeSettingPlaces(routes)} to the templates in this line.`,
    paste: templates && words.routes(templates),
  });
}

/** Returns the user's templates with the redirect's path; undefined if the redirect leads to another platform. */
function templatesFor({ route, ids, settings }: FailedRequest, target: URL): RouteTemplates | undefined {
  const base = new URL(settings.baseUrl);
  const basePath = base.pathname.replace(/\/$/, "");
  if (target.origin !== base.origin || !target.pathname.startsWith(`${basePath}/`)) {
    return undefined;
  }
  const segments = target.pathname.slice(basePath.length).split("/");
  for (const [name, id] of Object.entries(ids)) {
    const at = segments.lastIndexOf(encodeURIComponent(id));
    if (at >= 0) {
      segments[at] = `{${name}}`;
    }
  }
  const { method } = splitRouteTemplate(settings.routes[route.name] ?? "");
  const template = `${method === undefined ? "" : `${method} `}${segments.join("/")}`;
  const templates = { ...settings.routes, [route.name]: template };
  return "problem" in parseRouteTemplates(JSON.stringify(templates)) ? undefined : templates;
}
