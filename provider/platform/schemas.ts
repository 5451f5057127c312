import { domainToASCII } from "node:url";
import { z } from "zod";
import { identifierProblem } from "../support/identifier";
import { printable } from "../support/printable";
import { textContainsSecret } from "../support/redact";
import { classifyJobEnd } from "./classifyJobEnd";
import { extractErrorMessage, maxQuotedCharacters } from "./errorText";
import { parseProgress } from "./parseProgress";
import { parseTimestamp } from "./parseTimestamp";

const repeatsSecret =
  "repeats eight characters of the key, of a value in headers or of another secret, and an id is stored in clear";

const identifier = z.union([z.string(), z.number().int().transform(String)]).superRefine((id, context) => {
  // An id is stored and sent back unchanged. So an id that contains a secret is refused, and not redacted.
  const problem = identifierProblem(id) ?? (textContainsSecret(id) ? repeatsSecret : undefined);
  if (problem) {
    context.addIssue({ code: "custom", message: problem });
  }
});

const longestText = 1_000;

/** A text for the state and the screen: one line of bounded length, without a secret. */
const line = z.string().transform((text) => printable(text, longestText));
const filledLine = line.pipe(z.string().min(1));

/** For a field that the API text does not show, or shows without a type. A value that cannot be read is ignored. */
function lenient<T>(read: (value: unknown) => T | undefined) {
  return z
    .unknown()
    .transform((value) => read(value))
    .optional();
}

const optionalText = lenient((value) => (typeof value === "string" && printable(value, longestText)) || undefined);

/** A host name, alone or in an address. A single word is ignored: it may be the name of a deployment. */
const optionalHost = lenient((value) => {
  const text = typeof value === "string" ? printable(value, longestText) : "";
  const [, host = ""] = /^(?:[a-z]{1,10}:)?(?:\/\/)?([^\s/:?#@]{1,253})(?::\d{1,5})?(?:[/?#].*)?$/i.exec(text) ?? [];
  return /^[a-z\d-]+(\.[a-z\d-]+)+\.?$/i.test(domainToASCII(host)) ? host : undefined;
});

const optionalCount = lenient((value) => {
  const count = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof count === "number" && Number.isInteger(count) && count >= 0 ? count : undefined;
});

const optionalTime = lenient(parseTimestamp);

export const invalidTimestampText = "must be a time: ISO 8601, or seconds or milliseconds since the epoch";

/** The id of the job that the answer is about. An invalid id is ignored. */
const namedId = lenient((value) => identifier.safeParse(value).data);

export const startedExportResponse = z.looseObject({ jobId: identifier, domain: optionalHost });

/** The fields with a known meaning. Any other field may say why a job failed. */
const jobFields = [
  ...["jobId", "id", "projectId", "status", "progress", "pageCount", "domain", "source", "model", "prLink", "error"],
  ...["startedAt", "createdAt", "completedAt", "finishedAt", "updatedAt", "archivedAt", "requestId"],
  ...["bundleUrl", "expiresAt", "sizeBytes"],
];
const mostOtherFields = 10;

export const exportJobResponse = z
  .looseObject({
    jobId: namedId,
    status: filledLine,
    progress: lenient(parseProgress),
    pageCount: optionalCount,
    domain: optionalHost,
    error: lenient(extractErrorMessage),
    startedAt: optionalTime,
    createdAt: optionalTime,
    completedAt: optionalTime,
    finishedAt: optionalTime,
    updatedAt: optionalTime,
    bundleUrl: lenient((value) => typeof value === "string" && value.trim() !== ""),
  })
  .transform((body) => ({
    jobId: body.jobId,
    hasLink: body.bundleUrl || undefined,
    otherFields: otherFields(body),
    status: body.status,
    progress: body.progress,
    pageCount: body.pageCount,
    domain: body.domain,
    error: body.error,
    startedAt: body.startedAt ?? body.createdAt,
    // If a finished job has no end time, the time of its last change counts as the end.
    completedAt: body.completedAt ?? body.finishedAt ?? (classifyJobEnd(body.status) && body.updatedAt),
  }));

/** The API text says: "any further fields of the job record: not shown". */
function otherFields(body: { status: string }): string[] | undefined {
  if (classifyJobEnd(body.status) !== "failed") {
    return undefined;
  }
  return Object.entries(body)
    .filter(([name, value]) => !jobFields.includes(name) && !isEmpty(value))
    .slice(0, mostOtherFields)
    .map(([name, value]) =>
      printable(`${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`, maxQuotedCharacters).replace(
        /\s+/g,
        " ",
      ),
    );
}

function isEmpty(value: unknown): boolean {
  return value === null || value === "" || (typeof value === "object" && Object.keys(Object(value)).length === 0);
}

/** A link without a host leads to the platform. If `expiresAt` is missing, the link's signature may show the expiry. */
export const exportBundleResponse = z.looseObject({
  jobId: namedId,
  bundleUrl: z
    .string()
    .trim()
    .refine(
      (text) => /^(https?:\/)?\//i.test(text) && URL.canParse(text, "https://base"),
      "must be an http(s) address",
    ),
  expiresAt: z
    .unknown()
    .transform((value, context) => {
      const time = parseTimestamp(value);
      if (time === undefined && value !== null) {
        context.addIssue({ code: "custom", message: invalidTimestampText });
      }
      return time;
    })
    .optional(),
  sizeBytes: optionalCount,
});

/** An answer about a bundle that does not exist yet. It has a status, as in the job's record, and no link. */
export const unreadyBundleBody = z.looseObject({
  bundleUrl: z.null().or(z.literal("")).optional(),
  status: filledLine,
  error: lenient(extractErrorMessage),
});

const nullableText = filledLine.nullish().catch(undefined);

/** The API text shows only `status` and `prLink` in an answer to get-job, so all other fields may be missing. */
export const agentJobResponse = z
  .looseObject({
    id: namedId,
    status: filledLine,
    source: z.looseObject({ repository: line, ref: nullableText }).optional().catch(undefined),
    model: optionalText,
    prLink: nullableText,
    createdAt: optionalTime,
    archivedAt: optionalTime,
    error: lenient(extractErrorMessage),
  })
  .transform((body) => ({
    id: body.id,
    status: body.status,
    source: body.source && { repository: body.source.repository, ...(body.source.ref && { ref: body.source.ref }) },
    model: body.model,
    prLink: body.prLink ?? undefined,
    createdAt: body.createdAt,
    archivedAt: body.archivedAt,
    error: body.error,
    otherFields: otherFields(body),
  }));

const envelopes = ["data", "result"] as const;

export function bodyAndUnwrappedData(body: unknown): unknown[] {
  const inner = envelopes.map((name) => (body as Partial<Record<string, unknown>> | null)?.[name]);
  return [...inner.filter((value) => typeof value === "object" && value !== null), body];
}
