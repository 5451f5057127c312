import { projectExportRouteTemplates } from "../../simulator/routes/projectExportRoutes";
import { agentJobPath, type Body, customRoutes, errorOf, exportPaths, messagePath } from "./strangeAnswers";
import type { Habit } from "./strangePlatform";

/** The form of the job record on a platform without a bundle operation. The record contains the link. */
export interface RecordHabit {
  /** The paths of the platform contain the project. */
  inProject?: boolean;
  /** Changes the link's fields in a completed job's record. */
  link?: (link: Body) => Body;
}

let links = 0;

/** A platform without a bundle operation. Each poll of a completed job returns a record with a new link. */
export function recordHabit({ inProject = false, link = (fields) => fields }: RecordHabit = {}): Habit {
  const ours = inProject ? [inProjectPath] : exportPaths;
  return {
    request({ method, path }) {
      const [theirs, jobs] = [...ours, messagePath, agentJobPath].find(([form]) => form.test(path)) ?? [];
      return theirs === undefined || (method === "POST" && path.endsWith("/bundle"))
        ? errorOf(404, { error: `Cannot ${method} ${path}` })
        : { path: path.replace(theirs, jobs ?? "") };
    },
    answer({ status, body }, { operation, headers }) {
      if (status >= 300 || (operation !== "startExport" && operation !== "getExport")) {
        return undefined;
      }
      const { jobId, status: state, createdAt = new Date().toISOString() } = body as Body;
      const record = { jobId, status: state ?? "queued", createdAt, updatedAt: createdAt, error: null };
      if (operation === "startExport") {
        return { status: 202, body: record };
      }
      const fresh = {
        bundleUrl: `http://${headers.host}/files/one?X-Amz-Signature=${++links}`,
        expiresAt: new Date(Date.now() + 3_600_000).toISOString(),
      };
      return { body: state === "completed" ? { ...record, ...link(fresh) } : record };
    },
  };
}

const inProjectPath: [RegExp, string] = [/^\/v1\/static-export\/docs\/jobs/, "/v1/static-export/jobs"];

/** The settings for a platform of {@link recordHabit}. */
export function recordEnvironment({ inProject = false }: RecordHabit = {}): Record<string, string> {
  return inProject
    ? { ...customRoutes(projectExportRouteTemplates), DOCS_PLATFORM_PROJECT_ID: "docs" }
    : customRoutes({ generateBundle: "GET /v1/static-export/jobs/{jobId}" });
}
