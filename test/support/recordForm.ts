import { projectExportRouteTemplates } from "../../simulator/routes/projectExportRoutes";

/** The environment of a run. Its platform has no bundle operation, and writes the link into the job record. */
export function recordForm(projectId: string): Record<string, string> {
  return { DOCS_PLATFORM_PROJECT_ID: projectId, DOCS_PLATFORM_ROUTES: JSON.stringify(projectExportRouteTemplates) };
}
