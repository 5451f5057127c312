import { type RouteTemplates, splitRouteTemplate } from "../settings/routeTemplates";
import { NotFoundError } from "../support/errors";
import { identifierProblem } from "../support/identifier";

export interface Route {
  /** The name of the operation, as in the setting `routes`. */
  name: keyof RouteTemplates;
  method: "GET" | "POST";
  path: string;
  /** True for a GET, and for bundle generation, which by the API text "can be repeated to obtain a fresh link". */
  repeatable: boolean;
  /**
   * "known" if the API text names an hourly limit. After a 429, the client then waits as long as the caller allows.
   * "possible" if a platform may have such a limit: the client then waits in the same way, unless the user has set
   * `maxRetries`.
   */
  hourlyLimit?: "known" | "possible";
  title: string;
}

export const platformRoutes = {
  startExport: {
    method: "POST",
    path: "/v1/static-export/jobs",
    repeatable: false,
    hourlyLimit: "possible",
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
    hourlyLimit: "known",
    title: "send a follow-up message to an agent job",
  },
  getAgentJob: {
    method: "GET",
    // This path is an assumption, because the API text does not show it.
    path: "/v2/agent/{projectId}/job/{id}",
    repeatable: true,
    title: "get an agent job",
  },
} as const satisfies Record<string, Omit<Route, "name">>;

type Routes = Record<keyof typeof platformRoutes, Route>;

/**
 * A user's template replaces a route's path, and its method if the template has one.
 * @param projectId fills the paths of exports. {@link routePathOf} fills the paths of agent jobs.
 */
export function resolveRoutes(templates: RouteTemplates, projectId: string | undefined): Routes {
  const all = Object.entries(platformRoutes) as [keyof typeof platformRoutes, Omit<Route, "name">][];
  const filled = (route: Omit<Route, "name">, template: string) =>
    route.path.includes("{projectId}")
      ? template
      : template.replaceAll("{projectId}", () => encodeURIComponent(projectId ?? ""));
  return Object.fromEntries(
    all.map(([name, route]) => {
      const { method = route.method, path } = splitRouteTemplate(templates[name] ?? route.path);
      return [name, { ...route, name, method, path: filled(route, path) }];
    }),
  ) as Routes;
}

/** Returns the path of a route with its identifiers. An identifier cannot change any other part of the path. */
export function routePathOf({ path }: Pick<Route, "path">, ids: Readonly<Record<string, string>> = {}): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
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
