import type { z } from "zod";
import { ResponseShapeError } from "../support/errors";
import { linkRule, requireLinkAddress } from "../support/linkAddress";
import type { Settings } from "../support/settings";
import { type Route, routes } from "./routes";
import { agentJobBody, agentJobStatusBody, exportBundleBody, exportJobBody, startedExportBody } from "./schemas";
import { signatureEnd } from "./signedLink";
import type { Answer, CallOptions, Transport } from "./transport";

export type { CallOptions } from "./transport";

/** A job that the platform has just accepted. */
export interface StartedExport {
  jobId: string;
  /** When it was accepted, by the platform's clock, where that is known; milliseconds since the epoch. */
  platformTime: number | undefined;
}

/** `StaticExportJob` of the API text. Times are milliseconds since the epoch. */
export interface ExportJob {
  /** As the platform wrote it; only `completed` and `failed` end a wait. */
  status: string;
  /** From 0 to 1. */
  progress: number | undefined;
  pageCount: number | undefined;
  /** Why the job failed, in the platform's words. */
  error: string | undefined;
  domain: string | undefined;
  startedAt: number | undefined;
  completedAt: number | undefined;
  platformTime: number;
}

/** `ExportBundle` of the API text, and what decides when the link must be renewed. Times are milliseconds. */
export interface MintedLink {
  bundleUrl: string;
  /** As the platform says. */
  expiresAt: number;
  /** When the signature itself expires, where the link shows it. */
  signatureEnd: number | undefined;
  platformTime: number;
  /** The platform's clock minus this machine's clock. */
  clockOffset: number;
}

/** What identifies an agent job: the API text has both ids in its path. */
export interface AgentJobKey {
  projectId: string;
  id: string;
}

/** `AgentJob` of the API text. What is null or missing there is undefined. Times are milliseconds since the epoch. */
export interface AgentJob {
  /** As the platform wrote it; `completed`, `archived` and `failed` end a wait. */
  status: string;
  source: { repository: string; ref?: string } | undefined;
  model: string | undefined;
  prLink: string | undefined;
  createdAt: number | undefined;
  archivedAt: number | undefined;
}

/** The admin API: one method for each operation. Every method fails with an error of `support/errors` only. */
export interface PlatformClient {
  /** Sent once: never repeated where the platform may have accepted it. */
  startExport(domain: string, options: CallOptions): Promise<StartedExport>;
  getExport(jobId: string, options: CallOptions): Promise<ExportJob>;
  createBundle(jobId: string, options: CallOptions): Promise<MintedLink>;
  /** Requests a presigned link, without the key. Returns the HTTP status, or undefined where no answer came. */
  probeLink(link: string, options: CallOptions): Promise<number | undefined>;
  /** Sent once: never repeated where the platform may have accepted it. */
  sendMessage(key: AgentJobKey, prompt: string, options: CallOptions): Promise<AgentJob>;
  getAgentJob(key: AgentJobKey, options: CallOptions): Promise<AgentJob>;
}

export function createClient(
  transport: Transport,
  settings: Pick<Settings, "agentJobPath" | "baseUrl" | "linkHosts">,
): PlatformClient {
  // The API text does not show the path of this operation.
  const getAgentJobRoute = { ...routes.getAgentJob, path: settings.agentJobPath };
  const links = linkRule(settings);
  return {
    async startExport(domain, options) {
      const answer = await transport.call(routes.startExport, {}, { domain }, options);
      const { jobId } = understand(routes.startExport, startedExportBody, answer);
      return { jobId, platformTime: answer.platformTime };
    },
    async getExport(jobId, options) {
      const answer = await transport.call(routes.getExport, { jobId }, undefined, options);
      return { ...understand(routes.getExport, exportJobBody, answer), platformTime: answer.platformTime };
    },
    async createBundle(jobId, options) {
      const answer = await transport.call(routes.createBundle, { jobId }, undefined, options);
      const { bundleUrl, expiresAt } = understand(routes.createBundle, exportBundleBody, answer);
      requireLinkAddress(new URL(bundleUrl), links);
      return {
        bundleUrl,
        expiresAt,
        signatureEnd: signatureEnd(bundleUrl),
        platformTime: answer.platformTime,
        clockOffset: answer.clockOffset,
      };
    },
    async probeLink(link, options) {
      // A link of the state may have been minted under other settings.
      requireLinkAddress(new URL(link), links);
      return transport.probeLink(link, options);
    },
    async sendMessage({ projectId, id }, prompt, options) {
      const answer = await transport.call(routes.sendMessage, { projectId, id }, { prompt }, options);
      return understand(routes.sendMessage, agentJobBody, answer);
    },
    async getAgentJob({ projectId, id }, options) {
      const answer = await transport.call(getAgentJobRoute, { projectId, id }, undefined, options);
      return understand(getAgentJobRoute, agentJobStatusBody, answer);
    },
  };
}

function understand<T extends z.ZodType>(route: Route, schema: T, answer: Answer): z.output<T> {
  const id = answer.requestId === undefined ? "" : ` (request id ${answer.requestId})`;
  const problem = (text: string) =>
    new ResponseShapeError(
      {
        happened: `the answer to "${route.title}" cannot be understood: ${text}${id}.`,
        remedy:
          "check that the base URL leads to the admin API itself, and not to a proxy or a sign-in page before it.",
      },
      !route.repeatable,
    );
  let body: unknown;
  try {
    body = JSON.parse(answer.text);
  } catch {
    throw problem(answer.text.trim() === "" ? "the body is empty" : "the body is not JSON");
  }
  const result = schema.safeParse(body, { error: ({ input }) => (input === undefined ? "is missing" : undefined) });
  if (!result.success) {
    throw problem(
      result.error.issues.map((issue) => `${issue.path.join(".") || "the body"}: ${issue.message}`).join("; "),
    );
  }
  return result.data;
}
