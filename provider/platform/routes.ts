import type { RouteTemplates } from "../settings/routeTemplates";
import { NotFoundError } from "../support/errors";
import { identifierProblem } from "../support/identifier";

/** One operation of the admin API. */
export interface Route {
  method: "GET" | "POST";
  /** The path below the base URL. `{name}` stands for an identifier. */
  path: string;
  /**
   * True if the API text allows the call to be repeated without a second effect: a GET, and bundle generation, which
   * "can be repeated to obtain a fresh link". Every other call is sent once, unless it certainly was not accepted.
   */
  repeatable: boolean;
  /**
   * True if the API text names an hourly limit. After a 429, the call then waits and is repeated, as long as the caller
   * allows.
   */
  hourlyLimit?: true;
  /** The name of the operation in errors, in the words of the API text. */
  title: string;
}

export const platformRoutes = {
  startExport: {
    method: "POST",
    path: "/v1/static-export/jobs",
    repeatable: false,
    title: "start a static export job",
  },
  getExport: {
    method: "GET",
    path: "/v1/static-export/jobs/{jobId}",
    repeatable: true,
    title: "get static export job status",
  },
  generateBundle: {
    method: "POST",
    path: "/v1/static-export/jobs/{jobId}/bundle",
    repeatable: true,
    title: "generate export bundle",
  },
  sendMessage: {
    method: "POST",
    path: "/v2/agent/{projectId}/job/{id}/message",
    repeatable: false,
    hourlyLimit: true,
    title: "send a follow-up message to an agent job",
  },
  getAgentJob: {
    method: "GET",
    // The API text does not show this path.
    path: "/v2/agent/{projectId}/job/{id}",
    repeatable: true,
    title: "get an agent job",
  },
} as const satisfies Record<string, Route>;

/** Returns the routes. A template replaces the path of its route. */
export function routesWith(templates: RouteTemplates): Record<keyof typeof platformRoutes, Route> {
  const all = Object.entries(platformRoutes) as [keyof typeof platformRoutes, Route][];
  return Object.fromEntries(
    all.map(([name, route]) => [name, { ...route, path: templates[name] ?? route.path }]),
  ) as Record<keyof typeof platformRoutes, Route>;
}

/**
 * Returns the path of a route. The identifiers are percent-encoded, so that they cannot change the rest of the path.
 */
export function routePathOf(route: Route, ids: Readonly<Record<string, string>> = {}): string {
  return route.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const id = ids[name] ?? "";
    const problem = identifierProblem(id);
    if (problem) {
      throw new NotFoundError({
        happened: `the ${name} ${problem}.`,
        remedy: `give the ${name} as the platform returned it.`,
      });
    }
    return encodeURIComponent(id);
  });
}

/**
 * Returns the identifier in an address or a path that ends with a route of one identifier: the inverse of {@link
 * pathOf}. Returns undefined for any other address.
 */
export function idIn(route: Route, address: string): string | undefined {
  const wanted = route.path.split("/");
  const [path = ""] = address.split(/[?#]/);
  const segments = path
    .replace(/\/$/, "")
    .split("/")
    .slice(-wanted.length + 1);
  const place = wanted.slice(1).findIndex((segment) => /^\{\w+\}$/.test(segment));
  const isRoute = wanted.slice(1).every((segment, at) => at === place || segment === segments[at]);
  try {
    const id = decodeURIComponent(segments[place] ?? "");
    return isRoute && identifierProblem(id) === undefined ? id : undefined;
  } catch {
    return undefined;
  }
}
