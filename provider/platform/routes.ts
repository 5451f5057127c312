import type { RouteTemplates } from "../settings/routeTemplates";
import { NotFoundError } from "../support/errors";
import { identifierProblem } from "../support/identifier";

export interface Route {
  method: "GET" | "POST";
  path: string;
  /** True for a GET, and for bundle generation, which "can be repeated to obtain a fresh link". */
  repeatable: boolean;
  /** True if the API text names an hourly limit: it is waited out as long as the caller allows. */
  hourlyLimit?: true;
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

/**
 * Returns the routes. A template replaces the path of its route.
 * @param projectId fills `{projectId}` in the paths of exports. A message names its project itself.
 */
export function routesWith(
  templates: RouteTemplates,
  projectId: string | undefined,
): Record<keyof typeof platformRoutes, Route> {
  const all = Object.entries(platformRoutes) as [keyof typeof platformRoutes, Route][];
  const filled = (route: Route, template: string) =>
    route.path.includes("{projectId}")
      ? template
      : template.replaceAll("{projectId}", () => encodeURIComponent(projectId ?? ""));
  return Object.fromEntries(
    all.map(([name, route]) => [name, { ...route, path: filled(route, templates[name] ?? route.path) }]),
  ) as Record<keyof typeof platformRoutes, Route>;
}

/** Returns the path of a route. An identifier cannot change the rest of it. */
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
