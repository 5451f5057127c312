import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { campaign } from "./campaign";
import { campaignSeed } from "./random";
import { type RecordHabit, recordEnvironment, recordHabit } from "./recordHabit";
import {
  agentJob,
  agentJobPath,
  type Body,
  bodies,
  bundleLink,
  compact,
  customRoutes,
  encoded,
  errorOf,
  expiry,
  exportPaths,
  firstAnswers,
  firstPoll,
  firstStart,
  ids,
  job,
  messagePath,
  mintRequest,
  paths,
  pollRequest,
  refusedFirstDownload,
  shifted,
  shiftedExpiry,
  signedExpiry,
  withAnswer,
} from "./strangeAnswers";
import { fields, type Habit } from "./strangePlatform";
import { drawnPlatforms } from "./strangers/drawnPlatforms";

/** A possible behaviour of a platform in a case that the API text does not describe. */
export interface StrangeCase {
  /** The row of docs/assumptions.md about this behaviour. */
  axis: string;
  value: string;
  habit?: Habit;
  apiKey?: string;
  /** The part of the base URL after the host. */
  basePath?: string;
  environment?: Record<string, string>;
  /** Additional inputs of the export. */
  site?: Record<string, unknown>;
  archive?: () => Promise<Buffer>;
  /** Set if a link comes from the job record of `getExport`, and not from the bundle operation. */
  mint?: "getExport";
  /** A pattern that matches the warnings about this platform. */
  warns?: string;
  /**
   * Set if a test on the real engine also uses this case. `always`: in every run, because the engine itself stores the
   * value. `campaign`: only in the campaign.
   */
  engine?: "always" | "campaign";
}

type Values = readonly (readonly [value: string, rest: Omit<StrangeCase, "axis" | "value">])[];

const axis = (name: string, values: Values): StrangeCase[] =>
  values.map(([value, rest]) => ({ axis: name, value, ...rest }));

/** `habit` writes a value into the platform's answers. */
function written<T>(values: readonly T[], habit: (value: T) => Habit): Values {
  return values.map((value) => [typeof value === "string" ? value : JSON.stringify(value), { habit: habit(value) }]);
}

function records(forms: readonly (readonly [value: string, form: RecordHabit])[]): Values {
  return forms.map(([value, form]) => [
    value,
    { habit: recordHabit(form), environment: recordEnvironment(form), mint: "getExport" },
  ]);
}

/**
 * `npm test` uses only the first case of each axis. So put a case first that has already revealed a bug. An axis with
 * infinitely many values has random cases.
 */
export const strangePlatforms: readonly StrangeCase[] = [
  ...drawnPlatforms(campaignSeed(), campaign ? 12 : 1),

  ...axis("prefix of an admin API key", [
    ["none", { apiKey: "0123456789abcdef0123456789abcdef", engine: "campaign" }],
    ["another one", { apiKey: "org-live_0123456789abcdef" }],
    ["a JSON Web Token", { apiKey: "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhZG1pbiJ9.c2lnbmF0dXJl-_x" }],
    ["in Base64", { apiKey: "q83vEjRWeJCrze8SNFZ4kA+/x==" }],
    ["2,000 characters", { apiKey: `ey${"J".repeat(1_998)}` }],
  ]),

  ...axis("status of a good answer", [
    ...[202, 201, 203].map(
      (status) => [`${status} to a start`, { habit: withAnswer("startExport", () => ({ status })) }] as const,
    ),
    ...[202, 201].map(
      (status) => [`${status} to a mint`, { habit: withAnswer("generateBundle", () => ({ status })) }] as const,
    ),
    ["202 to a look", { habit: withAnswer("getExport", () => ({ status: 202 })) }],
    ["202 to a message", { habit: withAnswer("sendMessage", () => ({ status: 202 })) }],
    ["203 to a look at an agent job", { habit: withAnswer("getAgentJob", () => ({ status: 203 })) }],
  ]),

  ...axis("type of the content, charset", [
    [
      "text/plain, with a byte order mark",
      {
        habit: {
          answer: ({ body }) => ({
            body: `\ufeff${JSON.stringify(body, null, 2)}\n`,
            headers: { "content-type": "text/plain" },
          }),
        },
      },
    ],
    ["none", { habit: { answer: () => ({ headers: {} }) } }],
    ["text/html", { habit: { answer: () => ({ headers: { "content-type": "text/html" } }) } }],
    [
      "blanks before it",
      { habit: { answer: ({ body }) => ({ body: `${" ".repeat(5_000)}\n${JSON.stringify(body)}` }) } },
    ],
  ]),

  ...axis("encoding of the content", [
    ["gzip", { habit: encoded("gzip", gzipSync) }],
    ["GZIP in upper case", { habit: encoded("GZIP", gzipSync) }],
    ["br", { habit: encoded("br", brotliCompressSync) }],
    ["deflate", { habit: encoded("deflate", deflateSync) }],
    ["identity", { habit: encoded("identity", (body) => body) }],
  ]),

  ...axis("object around the fields", [
    ["data", { habit: bodies((data) => ({ data })) }],
    ["data, and null for an error", { habit: bodies((data) => ({ data, error: null, meta: {} })) }],
    ["result", { habit: bodies((result) => ({ result })) }],
    [
      "data, beside a status of the answer",
      { habit: bodies((data) => ({ status: "success", data })), engine: "campaign" },
    ],
  ]),

  ...axis("other fields of an answer", [
    [
      "a list of 20,000 pages in a job's record",
      {
        habit: job({
          pages: Array.from({ length: 20_000 }, (_, page) => ({
            path: `/guides/page-${page}`,
            status: "rendered",
            page,
          })),
        }),
      },
    ],
    [
      "the size of the archive as a text",
      { habit: fields("generateBundle", (body) => ({ ...body, sizeBytes: `${body.sizeBytes}` })) },
    ],
    [
      "a start with more of them",
      { habit: fields("startExport", (body) => ({ ...body, id: 7, status: "QUEUED", links: { self: "/x" } })) },
    ],
    ["none but the status of a job", { habit: fields("getExport", ({ status }) => ({ status })) }],
    [
      "null in each",
      { habit: bodies((body) => ({ progress: null, pageCount: null, error: null, data: null, ...body })) },
    ],
    ["an empty error", { habit: bodies((body) => ({ ...body, error: "" })) }],
    [
      "names of JavaScript's own",
      {
        habit: bodies((body) => `{"__proto__":{"status":"x"},${JSON.stringify({ ...body, constructor: 1 }).slice(1)}`),
      },
    ],
  ]),

  ...axis("other body fields of a start", [
    [
      "a format is required",
      {
        habit: {
          request: ({ method, path, body }) =>
            method !== "POST" || !path.endsWith("/jobs")
              ? undefined
              : body.format === "html"
                ? { body: { domain: body.domain } }
                : errorOf(400, { error: "format is required" }),
        },
        site: { exportOptions: { format: "html", locales: ["en"], nested: { deep: true } } },
      },
    ],
  ]),

  ...axis("form of a job id", [
    ["a number", { habit: ids((number) => `${1_000_000 + number}`, true), engine: "campaign" }],
    ["digits in a text, with zeros before", { habit: ids((number) => `000${number}`) }],
    [
      "with signs that a path gives a meaning",
      { habit: ids((number) => `exports/2026 03:${number}?#%41é`), engine: "always" },
    ],
    ["a UUID in upper case", { habit: ids((number) => `5F0C1E2A-0000-4000-8000-00000000000${number}`) }],
    ["256 characters", { habit: ids((number) => `${number}`.padEnd(256, "x")) }],
    ["256 letters that a path encodes", { habit: ids((number) => `${number}`.padEnd(256, "ß")) }],
  ]),

  ...axis("paths behind another prefix or version", [
    [
      "another version",
      {
        habit: paths([/^\/v3\/exports/, "/v1/static-export/jobs"], messagePath, agentJobPath),
        environment: customRoutes({
          startExport: "/v3/exports",
          getExport: "/v3/exports/{jobId}",
          generateBundle: "/v3/exports/{jobId}/bundle",
        }),
      },
    ],
    [
      "messages by a resource of their own",
      {
        habit: paths(
          [/^\/v2\/projects\/([^/]+)\/messages\/(.+)$/, "/v2/agent/$1/job/$2/message"],
          ...exportPaths,
          agentJobPath,
        ),
        environment: customRoutes({ sendMessage: "/v2/projects/{projectId}/messages/{id}" }),
      },
    ],
  ]),

  ...axis(
    "platform without an operation for bundles",
    records([
      ["the project in the path, as the second form has it", { inProject: true }],
      ["the paths of the text", {}],
      ["the link in an object", { link: (link) => ({ data: { status: "completed", ...link } }) }],
      ["the size of the archive as null", { inProject: true, link: (link) => ({ ...link, sizeBytes: null }) }],
      ["the end in its signature alone", { link: (link) => signedExpiry(link) }],
    ]),
  ),

  ...axis("method and path of get-job", [
    [
      "elsewhere",
      {
        habit: paths([/^\/v2\/agent-jobs\/([^/]+)$/, "/v2/agent/docs/job/$1"], ...exportPaths, messagePath),
        environment: customRoutes({ getAgentJob: "/v2/agent-jobs/{id}" }),
      },
    ],
    [
      "nowhere",
      {
        habit: withAnswer("getAgentJob", () => errorOf(404, { error: "no such route" })),
        warns: "agent job agent-1 could not be read; the state stays unchanged",
      },
    ],
  ]),

  ...axis("which job, agent job or domain an answer is about", [
    ...written(
      [
        ...["https://docs.example.com/", "docs.example.com:443", "//docs.example.com/guide", "DOCS.Example.COM."],
        ...["dom_8f2c", "Docs (production)", "", 17, null, { id: 17, name: "docs.example.com" }, ["docs.example.com"]],
      ],
      (domain) => job({ domain }),
    ),
    [
      "its id in upper case",
      { habit: fields("getExport", (body) => ({ ...body, jobId: String(body.jobId).toUpperCase() })) },
    ],
    ["no id", { habit: fields("getExport", ({ jobId: _, ...body }) => body) }],
  ]),

  ...axis("job right after its start", [
    ["404", { habit: firstPoll(errorOf(404, { error: "no such job" })), engine: "campaign" }],
    ["404, three times", { habit: firstAnswers(pollRequest, 3, errorOf(404, { error: "no such job" })) }],
  ]),

  ...axis("words for a status", [
    ...written(["COMPLETED", "Completed", " completed\n"], (status) =>
      fields("getExport", (body) => ({ ...body, ...(body.status === "completed" && { status }) })),
    ),
  ]),
  ...axis(
    "type of `pageCount`",
    written([null, "12", "1,024", "", 1.5, -3, 1e300, [], { total: 4 }], (pageCount) => job({ pageCount })),
  ),
  ...axis("form of `expiresAt`", [
    ["microseconds", { habit: expiry((at) => at * 1_000) }],
    ["nanoseconds", { habit: expiry((at) => at * 1_000_000), engine: "campaign" }],
    ["nanoseconds in a text", { habit: expiry((at) => `${at}000000`) }],
    ["the basic form of ISO 8601", { habit: expiry(compact) }],
    ["seconds in an object", { habit: expiry((at) => ({ _seconds: Math.floor(at / 1_000), _nanoseconds: 0 })) }],
    ["missing, where the signature tells it", { habit: fields("generateBundle", (body) => signedExpiry(body)) }],
    ["null, where the signature tells it", { habit: fields("generateBundle", (body) => signedExpiry(body, null)) }],
    ["without a zone", { habit: expiry((at) => new Date(at).toISOString().slice(0, -1)) }],
    ["with an offset", { habit: expiry((at) => new Date(at + 7_200_000).toISOString().replace("Z", "+02:00")) }],
    ["with microseconds", { habit: expiry((at) => new Date(at).toISOString().replace("Z", "123Z")) }],
    ["a blank for the T", { habit: expiry((at) => new Date(at).toISOString().replace("T", " ").replace("Z", " UTC")) }],
    ["seconds", { habit: expiry((at) => Math.floor(at / 1_000)) }],
    ["seconds with a fraction", { habit: expiry((at) => at / 1_000) }],
    ["milliseconds", { habit: expiry((at) => at) }],
    ["digits in a text", { habit: expiry((at) => String(at)) }],
    ["an HTTP date", { habit: expiry((at) => new Date(at).toUTCString()) }],
    ["RFC 5322", { habit: expiry((at) => new Date(at).toUTCString().replace("GMT", "+0000")) }],
    ["the end of time", { habit: expiry(() => "9999-12-31T23:59:59Z") }],
  ]),

  ...axis("form of `bundleUrl`", [
    ["a path", { habit: bundleLink(({ pathname, search }) => pathname + search), engine: "campaign" }],
    ["without a scheme", { habit: bundleLink(({ host, pathname, search }) => `//${host}${pathname}${search}`) }],
    ["blanks around it", { habit: bundleLink(({ href }) => ` ${href}\n`) }],
    ["its scheme in upper case", { habit: bundleLink(({ href }) => href.replace("http", "HTTP")) }],
    ["a fragment", { habit: bundleLink(({ href }) => `${href}#bundle`) }],
    // A job's links differ only in their query (the signature), so they are equal without it.
    ["no query", { habit: bundleLink(({ href }) => href.replace(/\?.*/, "")), warns: "returned the same link again" }],
    ["signs that are not encoded", { habit: bundleLink(({ href }) => `${href}&name=größe (1).tar.gz`) }],
    ["4,000 characters", { habit: bundleLink(({ href }) => `${href}&token=${"a".repeat(4_000)}`) }],
    ["another name of the host", { habit: bundleLink(({ href }) => href.replace("127.0.0.1", "localhost")) }],
  ]),

  ...axis("when the bundle is there", [
    [
      "202 without a link",
      { habit: firstAnswers(mintRequest, 1, errorOf(202, { status: "generating" })), engine: "campaign" },
    ],
    ...[404, 409, 425, 503].map(
      (status) => [`${status}`, { habit: firstAnswers(mintRequest, 1, errorOf(status)) }] as const,
    ),
    ["409, three times", { habit: firstAnswers(mintRequest, 3, errorOf(409)) }],
  ]),

  ...axis("how the storage sends the archive", [
    [
      "from another place",
      {
        habit: {
          file: (path) =>
            path.startsWith("/files/one") ? errorOf(302, "", { location: "/files/two?sig=b" }) : undefined,
        },
      },
    ],
    ["without a length", { habit: { file: () => ({ headers: { "transfer-encoding": "chunked" } }) } }],
    ["labelled as encoded", { habit: { file: () => ({ headers: { "content-encoding": "gzip" } }) } }],
    ["as a page, without an ETag", { habit: { file: () => ({ headers: { "content-type": "text/html" } }) } }],
    ["503 first", { habit: refusedFirstDownload(503) }],
    [
      "under a name that leads out of the folder",
      { habit: { file: () => ({ headers: { "content-disposition": 'attachment; filename="../../evil.tar.gz"' } }) } },
    ],
    ["403 to the first link", { habit: refusedFirstDownload(403) }],
  ]),

  ...axis("HTTP statuses and bodies of errors", [
    [
      "a look: 500 and a page",
      { habit: firstAnswers(pollRequest, 1, errorOf(500, "<h1>Oops</h1>", { "content-type": "text/html" })) },
    ],
    ["a look: 200 and a page", { habit: firstAnswers(pollRequest, 1, errorOf(200, "<h1>Back soon</h1>")) }],
    ["a look: 204 and nothing", { habit: firstAnswers(pollRequest, 1, errorOf(204, "", {})) }],
    ["a look: 502 and nothing", { habit: firstAnswers(pollRequest, 1, errorOf(502, "", {})) }],
    ["a mint: 200 and a page", { habit: firstAnswers(mintRequest, 1, errorOf(200, "<h1>Back soon</h1>")) }],
    [
      "a mint: 504 and a text",
      { habit: firstAnswers(mintRequest, 1, errorOf(504, "upstream", { "content-type": "text/plain" })) },
    ],
  ]),
  ...axis("start that is refused for a while", [
    ["503 and a time", { habit: firstStart(errorOf(503, "", { "retry-after": "1" })) }],
  ]),
  ...axis("other fields of an agent job", [
    [
      "those of the text alone, null where there is none",
      { habit: fields("sendMessage", (body) => ({ ...body, archivedAt: null, prLink: null })) },
    ],
    ["get-job with status alone", { habit: fields("getAgentJob", ({ status }) => ({ status })) }],
    ["a status in upper case", { habit: agentJob(({ status }) => ({ status: String(status).toUpperCase() })) }],
    ["times in seconds", { habit: agentJob(() => ({ createdAt: 1_700_000_000, archivedAt: 0 })) }],
    ["an empty link, no branch", { habit: agentJob(() => ({ prLink: "", source: { repository: "r", ref: null } })) }],
  ]),

  ...axis("clock of the platform", [
    [
      "an hour ahead",
      {
        habit: { answer: ({ headers, body }) => ({ headers: shifted(headers), body: shiftedExpiry(body as Body) }) },
        warns: "renew links at the right time",
      },
    ],
    ["not told", { habit: { answer: ({ headers: { date: _, ...headers } }) => ({ headers }) } }],
    ["in words of its own", { habit: { answer: ({ headers }) => ({ headers: { ...headers, date: "today" } }) } }],
  ]),
];
