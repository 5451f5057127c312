import type { z } from "zod";
import { createLinkAddressPolicy, requireAllowedLinkAddress } from "../network/linkAddress";
import type { Settings } from "../settings/settings";
import { baseUrl, describeSettingPlaces } from "../settings/settingTable";
import {
  ConflictError,
  JobFailedError,
  type RequestError,
  RequestRejectedError,
  ResponseShapeError,
} from "../support/errors";
import { words } from "../support/words";
import { classifyJobEnd } from "./classifyJobEnd";
import { extractErrorMessage, isMarkup } from "./errorText";
import { parseSignatureExpiry } from "./parseSignatureExpiry";
import { requestIdSuffix } from "./requestError";
import { type Route, resolveRoutes } from "./routes";
import {
  agentJobResponse,
  bodyAndUnwrappedData,
  exportBundleResponse,
  exportJobResponse,
  invalidTimestampText,
  startedExportResponse,
  unreadyBundleBody,
} from "./schemas";
import type { PlatformCallOptions, SuccessResponse, Transport } from "./transport";

/** The fields that a start sends in addition to `domain`. They are sent unchanged. */
export type ExportOptions = Readonly<Record<string, unknown>>;

export interface StartedExport {
  jobId: string;
  domain?: string | undefined;
  /** The time at which the platform accepted the job, by the platform's clock; milliseconds since the epoch. */
  platformTime: number;
}

/** An export job (`StaticExportJob` of the API text). Times are milliseconds since the epoch. */
export interface ExportJob {
  /** The status in the platform's own words. `classifyJobEnd` interprets them. */
  status: string;
  progress: number | undefined;
  pageCount: number | undefined;
  error: string | undefined;
  domain: string | undefined;
  startedAt: number | undefined;
  completedAt: number | undefined;
  /** True if the job's record contains a link to the bundle. By the API text, the record contains none. */
  hasLink?: true | undefined;
  /** The unknown fields of a failed job, as `name: value`. One of them may contain the reason of the failure. */
  otherFields?: readonly string[] | undefined;
  platformTime: number;
  /** The pause that the platform asks for before the next request, in milliseconds. */
  retryAfter?: number | undefined;
}

/** A new link (`ExportBundle` of the API text). Times are milliseconds since the epoch. */
export interface MintedLink {
  bundleUrl: string;
  /** The platform's `expiresAt`, or the expiry time in the link's signature if the answer has no `expiresAt`. */
  expiresAt: number;
  signatureEnd: number | undefined;
  /** The size of the archive, if the answer contains it. The API text does not show this field. */
  sizeBytes?: number | undefined;
  platformTime: number;
  /** The platform's clock minus this machine's clock, in milliseconds. */
  clockOffset: number;
}

export interface AgentJobIds {
  projectId: string;
  id: string;
}

/** An agent job (`AgentJob` of the API text). Times are milliseconds since the epoch. */
export interface AgentJob {
  status: string;
  source: { repository: string; ref?: string } | undefined;
  model: string | undefined;
  prLink: string | undefined;
  createdAt: number | undefined;
  archivedAt: number | undefined;
  error?: string | undefined;
  otherFields?: readonly string[] | undefined;
  retryAfter?: number | undefined;
}

/** The admin API: one method for each operation. Every method throws only errors of `support/errors`. */
export interface PlatformClient {
  /** Starts an export. The request is never repeated if the platform may have accepted it. */
  startExport(domain: string, options: PlatformCallOptions, more?: ExportOptions): Promise<StartedExport>;
  getExport(jobId: string, options: PlatformCallOptions): Promise<ExportJob>;
  createBundle(jobId: string, options: PlatformCallOptions): Promise<MintedLink>;
  checkLink(link: string, options: PlatformCallOptions): Promise<number | undefined>;
  /** Sends a message. The request is never repeated if the platform may have accepted it. */
  sendMessage(key: AgentJobIds, prompt: string, options: PlatformCallOptions): Promise<AgentJob>;
  getAgentJob(key: AgentJobIds, options: PlatformCallOptions): Promise<AgentJob>;
}

export function createPlatformClient(
  transport: Transport,
  settings: Pick<Settings, "routes" | "projectId" | "baseUrl">,
): PlatformClient {
  const routes = resolveRoutes(settings.routes, settings.projectId);
  const links = createLinkAddressPolicy(settings);
  const askAgent = async (
    route: Route,
    { projectId, id }: AgentJobIds,
    body: unknown,
    options: PlatformCallOptions,
  ) => {
    const answer = await transport.call(route, { projectId, id }, body, options);
    const { id: told, ...job } = await understood(route, agentJobResponse, answer, options);
    requireSame(route, id, told, answer);
    return answer.retryAfter === undefined ? job : { ...job, retryAfter: answer.retryAfter };
  };
  return {
    async startExport(domain, options, more) {
      const answer = await transport.call(routes.startExport, {}, { ...more, domain }, options);
      const { jobId, domain: told } = await understood(routes.startExport, startedExportResponse, answer, options);
      return { jobId, domain: told, platformTime: answer.platformTime };
    },
    async getExport(jobId, options) {
      const answer = await transport.call(routes.getExport, { jobId }, undefined, options);
      const { jobId: told, ...job } = understand(routes.getExport, exportJobResponse, answer);
      requireSame(routes.getExport, jobId, told, answer);
      return { ...job, platformTime: answer.platformTime, retryAfter: answer.retryAfter };
    },
    async createBundle(jobId, options) {
      const answer = await transport.call(routes.generateBundle, { jobId }, undefined, options);
      const told = understandBundle(routes.generateBundle, jobId, answer);
      requireSame(routes.generateBundle, jobId, told.jobId, answer);
      const bundleUrl = told.bundleUrl.startsWith("/")
        ? new URL(told.bundleUrl, settings.baseUrl).href
        : told.bundleUrl;
      requireAllowedLinkAddress(new URL(bundleUrl), links);
      const end = parseSignatureExpiry(bundleUrl);
      const expiresAt = told.expiresAt ?? end;
      if (expiresAt === undefined) {
        throw unclearAnswerError(routes.generateBundle, answer, `expiresAt: ${invalidTimestampText}`);
      }
      const { platformTime, clockOffset } = answer;
      return { bundleUrl, expiresAt, signatureEnd: end, sizeBytes: told.sizeBytes, platformTime, clockOffset };
    },
    async checkLink(link, options) {
      // A link from the state may come from a run with other settings, so it is checked again.
      requireAllowedLinkAddress(new URL(link), links);
      return transport.checkLink(link, options);
    },
    sendMessage: (key, prompt, options) => askAgent(routes.sendMessage, key, { prompt }, options),
    getAgentJob: (key, options) => askAgent(routes.getAgentJob, key, undefined, options),
  };
}

/** @throws ResponseShapeError if the answer is about another job. */
function requireSame(route: Route, asked: string, told: string | undefined, answer: SuccessResponse): void {
  if (told !== undefined && told.toLowerCase() !== asked.toLowerCase()) {
    throw unclearAnswerError(route, answer, `it is about ${told}, but the request was about ${asked}`);
  }
}

/** Like {@link understand}, but calls `once.refused` if the platform has not accepted the request. */
async function understood<T extends z.ZodType>(
  route: Route,
  schema: T,
  answer: SuccessResponse,
  { once }: PlatformCallOptions,
): Promise<z.output<T>> {
  try {
    return understand(route, schema, answer);
  } catch (error) {
    if (error instanceof RequestRejectedError) {
      await once?.refused();
    }
    throw error;
  }
}

/**
 * @throws ConflictError if the answer is a job's record without a link: the bundle is then not ready yet.
 * @throws JobFailedError if the record says that the job has failed.
 */
function understandBundle(route: Route, jobId: string, answer: SuccessResponse): z.output<typeof exportBundleResponse> {
  try {
    return understand(route, exportBundleResponse, answer);
  } catch (error) {
    const { data: job } = firstRead(unreadyBundleBody, parsed(answer.text));
    if (job === undefined) {
      throw error;
    }
    if (classifyJobEnd(job.status) === "failed") {
      throw new JobFailedError({
        happened: `export job ${jobId} has no bundle: its status is "${job.status}"${job.error === undefined ? "" : `: ${job.error}`}`,
        remedy: "start a new export, or name another job.",
      });
    }
    const happened = `export job ${jobId} has no link yet: its status is "${job.status}"`;
    throw new ConflictError(
      factsOf(answer, happened, `wait until the job has ended, then run \`${words.run}\` again.`),
    );
  }
}

/** A web page does not come from the admin API, so the platform has accepted no start and no message. */
function servesPages(route: Route, answer: SuccessResponse): RequestError {
  const facts = factsOf(
    answer,
    `"${route.title}" was answered by a web page`,
    `this address serves web pages: check the base URL in ${describeSettingPlaces(baseUrl)}, and if a proxy or a sign-in page is in front of the admin API.`,
  );
  return route.repeatable ? new ResponseShapeError(facts, false) : new RequestRejectedError(facts);
}

function unclearAnswerError(route: Route, answer: SuccessResponse, text: string): ResponseShapeError {
  const remedy =
    "check that the base URL leads to the admin API itself, and not to a proxy or a sign-in page in front of it.";
  const facts = factsOf(answer, `the answer to "${route.title}" cannot be understood: ${text}`, remedy);
  return new ResponseShapeError(facts, !route.repeatable);
}

function factsOf({ status, retryAfter, requestId }: SuccessResponse, happened: string, remedy: string) {
  return { happened: `${happened}${requestIdSuffix(requestId)}`, remedy, status, retryAfter };
}

/** @throws RequestRejectedError if the body contains an error: some platforms answer 200 with an error. */
function understand<T extends z.ZodType>(route: Route, schema: T, answer: SuccessResponse): z.output<T> {
  const problem = (text: string) => unclearAnswerError(route, answer, text);
  const body = parsed(answer.text);
  if (body === undefined) {
    throw isMarkup(answer.text)
      ? servesPages(route, answer)
      : problem(answer.text.trim() === "" ? "the body is empty" : "the body is not JSON");
  }
  const { data, issues } = firstRead(schema, body);
  if (data !== undefined) {
    return data;
  }
  const { error, errors } = Object(body);
  const said = extractErrorMessage({ error, errors });
  if (said !== undefined) {
    throw new RequestRejectedError({
      happened: `"${route.title}" was answered with a success status, but with an error in the body: ${said}${requestIdSuffix(answer.requestId)}`,
      remedy: "fix the error that the platform reports.",
    });
  }
  throw problem(issues.map((issue) => `${issue.path.join(".") || "the body"}: ${issue.message}`).join("; "));
}

/** @returns undefined if the text is not JSON, or is nested so deeply that `JSON.stringify` fails. */
function parsed(text: string): unknown {
  try {
    const body: unknown = JSON.parse(text);
    JSON.stringify(body);
    return body;
  } catch {
    return undefined;
  }
}

/** Some platforms wrap the fields in another object. Returns the first object that fits the schema. */
function firstRead<T extends z.ZodType>(
  schema: T,
  body: unknown,
): { data?: z.output<T>; issues: readonly z.core.$ZodIssue[] } {
  let issues: readonly z.core.$ZodIssue[] = [];
  for (const fields of bodyAndUnwrappedData(body)) {
    const result = schema.safeParse(fields, { error: ({ input }) => (input === undefined ? "is missing" : undefined) });
    if (result.success) {
      return { data: result.data, issues: [] };
    }
    issues = result.error.issues;
  }
  return { issues };
}
