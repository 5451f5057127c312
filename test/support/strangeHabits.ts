import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { fields, type Habit, type Operation, type PlainAnswer } from "./strangePlatform";

/** One value of an axis: what the API text does not show, as one platform may have it. */
export interface Strange {
  axis: string;
  value: string;
  habit?: Habit;
  /** The key that the platform hands out. */
  apiKey?: string;
  /** What the user sets for such a platform. */
  environment?: Record<string, string>;
  /** More inputs of the export. */
  site?: Record<string, unknown>;
  /** A file in the bundle that a site is mirrored from; by its bytes. */
  archive?: string;
  /** The form of the warnings that such a platform is worth. */
  warns?: string;
  /** How often the platform refuses a mint before it has the bundle. */
  lateMints?: number;
}

const row = (axis: string, value: string, rest: Omit<Strange, "axis" | "value">): Strange => ({ axis, value, ...rest });

const answered = (operation: Operation, change: (usual: PlainAnswer) => Partial<PlainAnswer>): Habit => ({
  answer: (usual, request) => (request.operation === operation ? change(usual) : undefined),
});

const time = (body: Record<string, unknown>) => Date.parse(String(body.expiresAt));
const expiry = (write: (time: number) => unknown) =>
  fields("generateBundle", (body) => ({ ...body, expiresAt: write(time(body)) }));
const job = (change: Record<string, unknown>) => fields("getExport", (body) => ({ ...body, ...change }));
const encoded = (encoding: string, encode: (body: Buffer) => Buffer): Habit => ({
  answer: ({ body, headers }) => ({
    body: encode(Buffer.from(JSON.stringify(body))),
    headers: { ...headers, "content-encoding": encoding },
  }),
});

/** Refuses the first mints of each job with a status. */
function late(status: number, times: number): Habit {
  const asked = new Map<string, number>();
  return {
    request: ({ path }) => {
      const count = (asked.get(path) ?? 0) + 1;
      asked.set(path, count);
      return path.endsWith("/bundle") && count <= times
        ? { status, headers: { "content-type": "application/json" }, body: { error: "no bundle yet" } }
        : undefined;
    },
  };
}

/** The first look at a job finds other things than the ones that follow. */
function firstLook(first: Partial<PlainAnswer>): Habit {
  const seen = new Set<string>();
  return answered("getExport", ({ body }) => {
    const { jobId } = body as { jobId: string };
    return seen.size === seen.add(jobId).size ? {} : first;
  });
}

/** Asks for paths that the embedded platform does not have, as `[theirs, ours]`. */
const paths = (...pairs: [RegExp, string][]): Habit => ({
  request: ({ path }) => {
    const [theirs, ours] = pairs.find(([form]) => form.test(path)) ?? [];
    return theirs === undefined
      ? { status: 404, headers: {}, body: { error: `no route ${path}` } }
      : { path: path.replace(theirs, ours ?? "") };
  },
});
const exportPaths: [RegExp, string][] = [[/^\/v1\/static-export\/jobs/, "/v1/static-export/jobs"]];
const messagePath: [RegExp, string] = [/^\/v2\/agent\/docs\/job\/agent-1\/message$/, "$&"];
const agentJobPath: [RegExp, string] = [/^\/v2\/agent\/docs\/job\/agent-1$/, "$&"];

/** The first value of an axis is run in every test run, the others in the campaign: put what has failed first. */
export const strangePlatforms: readonly Strange[] = [
  ...[
    ["of no prefix", "0123456789abcdef0123456789abcdef"],
    ["of another prefix", "org-live_0123456789abcdef"],
    ["a JSON Web Token", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhZG1pbiJ9.c2lnbmF0dXJl-_x"],
    ["in Base64", "q83vEjRWeJCrze8SNFZ4kA+/x=="],
  ].map(([value = "", apiKey = ""]) => row("key", value, { apiKey })),

  ...[200, 201, 202, 203].map((status) =>
    row("status of a good start", `${status}`, { habit: answered("startExport", () => ({ status })) }),
  ),
  row("answer to a start", "with more fields", {
    habit: fields("startExport", (body) => ({ ...body, id: 7, status: "QUEUED", links: { self: "/x" } })),
  }),
  row("answer to a start", "with an id that is a number", {
    habit: {
      request: ({ path }) => ({ path: path.replace(/\/jobs\/(\d+)/, (_, id) => `/jobs/${numbered.get(Number(id))}`) }),
      answer: ({ body }) => ({ body: withNumber(body as Record<string, unknown>) }),
    },
  }),
  row("type of the content", "text/plain, with a byte order mark", {
    habit: {
      answer: ({ body }) => ({
        body: `\ufeff${JSON.stringify(body, null, 2)}\n`,
        headers: { "content-type": "text/plain" },
      }),
    },
  }),
  row("type of the content", "none", { habit: { answer: () => ({ headers: {} }) } }),

  row("first look at a job", "404", { habit: firstLook({ status: 404, body: { error: "no such job" } }) }),
  ...["IN_PROGRESS", "rendering", "pending_review"].map((status) =>
    row("status of a job that runs", status, { habit: firstLook({ body: { status, progress: 99 } }) }),
  ),
  ...["COMPLETED", "Completed"].map((status) =>
    row("word for the end", status, {
      habit: fields("getExport", (body) => ({ ...body, ...(body.status === "completed" && { status }) })),
    }),
  ),
  ...[null, "12 of 40", "45%", 0.4, 1, { done: 3, total: 9 }, [1, 2], -1, true].map((progress) =>
    row("progress", JSON.stringify(progress), { habit: firstLook({ body: { status: "queued", progress } }) }),
  ),
  ...[null, "12", 1.5, -3, { total: 4 }].map((pageCount) =>
    row("page count", JSON.stringify(pageCount), { habit: job({ pageCount }) }),
  ),
  row("fields of a job", "none but the status", {
    habit: fields("getExport", ({ status }) => ({ status })),
  }),
  row("fields of a job", "the domain in another case", { habit: job({ domain: "DOCS.Example.COM" }) }),
  row("fields of a job", "times in seconds", { habit: job({ createdAt: 1_700_000_000, finishedAt: "1700000300" }) }),

  row("expiresAt", "without a zone", { habit: expiry((at) => new Date(at).toISOString().slice(0, -1)) }),
  row("expiresAt", "with an offset", {
    habit: expiry((at) => new Date(at + 7_200_000).toISOString().replace("Z", "+02:00")),
  }),
  row("expiresAt", "with microseconds", { habit: expiry((at) => new Date(at).toISOString().replace("Z", "123Z")) }),
  row("expiresAt", "seconds", { habit: expiry((at) => Math.floor(at / 1_000)) }),
  row("expiresAt", "milliseconds", { habit: expiry((at) => at) }),
  row("expiresAt", "digits in a text", { habit: expiry((at) => String(at)) }),
  row("expiresAt", "an HTTP date", { habit: expiry((at) => new Date(at).toUTCString()) }),

  ...[202, 201].map((status) =>
    row("status of a good mint", `${status}`, { habit: answered("generateBundle", () => ({ status })) }),
  ),
  ...[404, 409, 425, 503].map((status) =>
    row("the bundle a moment later than the job", `${status}`, { habit: late(status, 1), lateMints: 1 }),
  ),
  row("the bundle a moment later than the job", "409, three times", { habit: late(409, 3), lateMints: 3 }),

  row("encoding of an answer", "gzip", { habit: encoded("gzip", gzipSync) }),
  row("encoding of an answer", "br", { habit: encoded("br", brotliCompressSync) }),
  row("encoding of an answer", "deflate", { habit: encoded("deflate", deflateSync) }),
  row("encoding of an answer", "deflate without a header", { habit: encoded("deflate", deflateRawSync) }),
  row("encoding of an answer", "zstd", { habit: encoded("zstd", zstdCompressSync) }),
  row("encoding of an answer", "gzip, gzip", { habit: encoded("gzip, gzip", (body) => gzipSync(gzipSync(body))) }),
  row("encoding of an answer", "identity", { habit: encoded("identity", (body) => body) }),

  row("routes", "of another version", {
    habit: paths([/^\/v3\/exports/, "/v1/static-export/jobs"], messagePath, agentJobPath),
    environment: routes({
      startExport: "/v3/exports",
      getExport: "/v3/exports/{jobId}",
      generateBundle: "/v3/exports/{jobId}/bundle",
    }),
  }),
  row("routes", "get-job of an agent elsewhere", {
    habit: paths([/^\/v2\/agent-jobs\/([^/]+)$/, "/v2/agent/docs/job/$1"], ...exportPaths, messagePath),
    environment: routes({ getAgentJob: "/v2/agent-jobs/{id}" }),
  }),
  row("routes", "messages by a resource of their own", {
    habit: paths(
      [/^\/v2\/projects\/([^/]+)\/messages\/(.+)$/, "/v2/agent/$1/job/$2/message"],
      ...exportPaths,
      agentJobPath,
    ),
    environment: routes({ sendMessage: "/v2/projects/{projectId}/messages/{id}" }),
  }),
  row("fields of a start", "a format is required", {
    habit: {
      request: ({ method, path, body }) =>
        method === "POST" && path.endsWith("/jobs") && body.format !== "html"
          ? { status: 400, headers: {}, body: { error: "format is required" } }
          : method === "POST" && path.endsWith("/jobs")
            ? { body: { domain: body.domain } }
            : undefined,
    },
    site: { exportOptions: { format: "html", locales: ["en"], nested: { deep: true } } },
  }),

  row("agent job", "with the fields of the text alone, null where there is none", {
    habit: fields("sendMessage", (body) => ({ ...body, archivedAt: null, prLink: null })),
  }),
  row("agent job", "get-job with status alone", { habit: fields("getAgentJob", ({ status }) => ({ status })) }),

  row("archive", "with one folder around the site", { archive: "folder" }),
  ...["tar.xz", "tar.zst", "tar.gz", "tar", "zip"].map((archive) => row("archive", archive, { archive })),
  row("archive", "with ./ before each name", { archive: "dotted" }),

  row("clock of the platform", "an hour ahead", {
    habit: { answer: ({ headers, body }) => ({ headers: shifted(headers), body: shiftedEnd(body) }) },
    warns: "links are renewed at the right time",
  }),
  row("clock of the platform", "not told", {
    habit: { answer: ({ headers: { date: _, ...headers } }) => ({ headers }) },
  }),
];

function routes(templates: Record<string, string>): Record<string, string> {
  return { DOCS_PLATFORM_ROUTES: JSON.stringify(templates) };
}

/** Job ids as numbers. */
const numbered = new Map<number, string>();
function withNumber(body: Record<string, unknown>): Record<string, unknown> {
  if (typeof body.jobId !== "string") {
    return body;
  }
  const known = [...numbered].find(([, id]) => id === body.jobId)?.[0];
  const number = known ?? 1_000_000 + numbered.size;
  numbered.set(number, body.jobId);
  return { ...body, jobId: number };
}

function shifted(headers: Record<string, string>): Record<string, string> {
  return { ...headers, date: new Date(Date.now() + 3_600_000).toUTCString() };
}

function shiftedEnd(body: unknown): unknown {
  const { expiresAt, ...rest } = body as Record<string, unknown>;
  return typeof expiresAt === "string"
    ? { ...rest, expiresAt: new Date(Date.parse(expiresAt) + 3_600_000).toISOString() }
    : body;
}
