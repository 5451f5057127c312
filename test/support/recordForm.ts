import { recordRoutes } from "../../simulator/routes/recordRoutes";

/** Returns the environment of a run on a platform whose job record contains the link, for one project. */
export function recordForm(projectId: string): Record<string, string> {
  return { DOCS_PLATFORM_PROJECT_ID: projectId, DOCS_PLATFORM_ROUTES: JSON.stringify(recordRoutes) };
}
