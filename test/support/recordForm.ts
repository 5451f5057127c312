import { recordRouteTemplates } from "../../simulator/routes/recordRoutes";

/** Returns a run's environment for a platform that has no bundle operation and writes the link into the job record. */
export function recordForm(projectId: string): Record<string, string> {
  return { DOCS_PLATFORM_PROJECT_ID: projectId, DOCS_PLATFORM_ROUTES: JSON.stringify(recordRouteTemplates) };
}
