import { NotFoundError } from "../support/errors";
import { identifierProblem } from "../support/identifier";

/** One operation of the admin API. */
export interface Route {
  method: "GET" | "POST";
  /** Path below the base URL; `{name}` stands for an identifier. */
  path: string;
  /**
   * True where the API text lets the call be repeated without a second effect: a GET, and bundle generation, which
   * "can be repeated to obtain a fresh link". Everything else is sent once, unless it surely was not accepted.
   */
  repeatable: boolean;
  /** Where the API text names a limit of uses an hour: a 429 is waited out then, as long as the caller allows. */
  hourlyLimit?: true;
  /** As errors name it, in the words of the API text. */
  title: string;
}

export const routes = {
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
  createBundle: {
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
    // Not shown by the API text: the setting agentJobPath takes its place.
    path: "/v2/agent/{projectId}/job/{id}",
    repeatable: true,
    title: "get an agent job",
  },
} as const satisfies Record<string, Route>;

/** The path of a route with its identifiers percent-encoded, so that none can leave its place in the path. */
export function pathOf(route: Route, ids: Readonly<Record<string, string>> = {}): string {
  return route.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const id = ids[name] ?? "";
    const problem = identifierProblem(id);
    if (problem) {
      throw new NotFoundError({
        happened: `the ${name} ${problem}.`,
        remedy: `give the ${name} as the platform told it.`,
      });
    }
    return encodeURIComponent(id);
  });
}
