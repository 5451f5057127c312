import { parseRouteTemplates, partsOfTemplate, type RouteTemplates } from "../settings/routeTemplates";
import type { Settings } from "../settings/settings";
import { describeSettingPlaces, routes as routesSetting } from "../settings/settingTable";
import { RefusedError } from "../support/errors";
import { words } from "../support/words";
import { type HttpAnswer, headerOf } from "./connection";
import { type Route, routePathOf } from "./routes";

/** The request that was answered by a redirect. */
interface RedirectedRequest {
  route: Route;
  ids: Record<string, string>;
  settings: Pick<Settings, "baseUrl" | "routes">;
}

/**
 * The statuses of a redirect to another address of the same operation. Other redirects often lead to a page for signing
 * in.
 */
const sameOperation: readonly number[] = [301, 307, 308];

/** Returns the error for a redirect. The error names the new address without its query, which may contain a secret. */
export function redirectError(request: RedirectedRequest, answer: HttpAnswer, happened: string): RefusedError {
  const { route, ids, settings } = request;
  const asked = settings.baseUrl + routePathOf(route, ids);
  const location = headerOf(answer, "location");
  const target = location !== undefined && URL.canParse(location, asked) ? new URL(location, asked) : undefined;
  const place = target === undefined ? "" : ` to ${target.origin}${target.pathname}`;
  const templates = target && sameOperation.includes(answer.status) ? templatesFor(request, target) : undefined;
  return new RefusedError({
    happened: `${happened}, a redirect${place}. No redirect is followed, because the key goes only to the base URL`,
    remedy:
      templates === undefined
        ? `set the base URL to the platform's own address; if only the path differs, set that path in ${words.name("routes")}.`
        : `if that is the right path, set ${describeSettingPlaces(routesSetting)} to the templates in this line.`,
    paste: templates && words.routes(templates),
  });
}

/**
 * Returns the user's templates, in which the path of the redirect replaces the path of the route; undefined if the
 * redirect does not lead to the same platform.
 */
function templatesFor({ route, ids, settings }: RedirectedRequest, target: URL): RouteTemplates | undefined {
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
  const { method } = partsOfTemplate(settings.routes[route.name] ?? "");
  const template = `${method === undefined ? "" : `${method} `}${segments.join("/")}`;
  const templates = { ...settings.routes, [route.name]: template };
  return "problem" in parseRouteTemplates(JSON.stringify(templates)) ? undefined : templates;
}
