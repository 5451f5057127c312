import { recordRoutes } from "../../simulator/routes/recordRoutes";

/** The environment of a run on a platform of the second form, for one project. */
export function recordForm(projectId: string): Record<string, string> {
  return { DOCS_PLATFORM_PROJECT_ID: projectId, DOCS_PLATFORM_ROUTES: JSON.stringify(recordRoutes) };
}
