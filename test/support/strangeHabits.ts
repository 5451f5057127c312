import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { fields, type Habit, type PlainAnswer, type PlainRequest, type StrangeOperation } from "./strangePlatform";

/** One value of an axis: one platform's answer to something that the API text does not show. */
export interface Strange {
  /** The row of docs/assumptions.md. */
  axis: string;
  value: string;
  habit?: Habit;
  /** The key that the platform issues. */
  apiKey?: string;
  /** The part of the base URL after the host. */
  basePath?: string;
  /** The settings that a user of such a platform needs. */
  environment?: Record<string, string>;
  /** More inputs of the export. */
  site?: Record<string, unknown>;
  /** The bytes of a file in the bundle that a site is mirrored from. */
  archive?: string;
  /** The form of the warnings that such a platform causes. */
  warns?: string;
  /** The runs in which the real engine gets it as well: all, if the engine itself keeps the value; or the campaign. */
  engine?: "always" | "campaign";
}

type Body = Record<string, unknown>;
type Values = readonly (readonly [value: string, rest: Omit<Strange, "axis" | "value">])[];

const axis = (name: string, values: Values): Strange[] =>
  values.map(([value, rest]) => ({ axis: name, value, ...rest }));

/** Values that the platform's answers decide. */
function written<T>(values: readonly T[], habit: (value: T) => Habit): Values {
  return values.map((value) => [typeof value === "string" ? value : JSON.stringify(value), { habit: habit(value) }]);
}

const answered = (operation: StrangeOperation, change: (usual: PlainAnswer) => Partial<PlainAnswer>): Habit => ({
  answer: (usual, request) => (request.operation === operation ? change(usual) : undefined),
});

/** Changes the bodies of all successful answers. */
const bodies = (change: (body: Body) => unknown): Habit => ({
  answer: ({ status, body }) => (status < 300 ? { body: change(body as Body) } : undefined),
});

const time = (body: Body) => Date.parse(String(body.expiresAt));
const expiry = (write: (time: number) => unknown) =>
  fields("generateBundle", (body) => ({ ...body, expiresAt: write(time(body)) }));
/** The end of a link in its signature, as an object storage writes it. */
const signedEnd = (body: Body, expiresAt?: null) => ({
  ...body,
  bundleUrl: `${body.bundleUrl}&X-Amz-Date=${compact(time(body) - 3_600_000)}&X-Amz-Expires=3600`,
  expiresAt,
});
const compact = (at: number) => new Date(at).toISOString().replace(/[-:]|\.\d+/g, "");
const job = (change: Body) => fields("getExport", (body) => ({ ...body, ...change }));
const link = (write: (link: URL) => string) =>
  fields("generateBundle", (body) => ({ ...body, bundleUrl: write(new URL(String(body.bundleUrl))) }));
const bytesOf = (body: unknown) => Buffer.from(JSON.stringify(body));
const encoded = (encoding: string | undefined, encode: (body: Buffer) => Buffer): Habit => ({
  answer: ({ body, headers }) => ({
    body: encode(bytesOf(body)),
    headers: { ...headers, ...(encoding !== undefined && { "content-encoding": encoding }) },
  }),
});

const json = { "content-type": "application/json" };
const errorOf = (status: number, body: unknown = { error: "not now" }, headers: Record<string, string> = json) => ({
  status,
  headers,
  body,
});

/** Answers the first requests of one kind differently, for each path. */
function first(kind: RegExp, times: number, answer: PlainAnswer): Habit {
  const asked = new Map<string, number>();
  return {
    request: ({ method, path, body }) => {
      const key = `${method} ${path} ${JSON.stringify(body)}`;
      const count = (asked.get(key) ?? 0) + 1;
      asked.set(key, count);
      return kind.test(`${method} ${path}`) && count <= times ? answer : undefined;
    },
  };
}
const aStart = /^POST .*\/jobs$/;
const aLook = /^GET .*\/jobs\/[^/]+$/;
const aMint = /\/bundle$/;
/** Each value of an axis asks for a start of its own. */
const firstStart = (answer: PlainAnswer): Habit => {
  let isFirst = true;
  return {
    request: ({ method, path }) => {
      const answers = isFirst && aStart.test(`${method} ${path}`);
      isFirst &&= !answers;
      return answers ? answer : undefined;
    },
  };
};

/** The first poll of a job finds other values than the later ones. */
function firstLook(change: Partial<PlainAnswer>): Habit {
  const seen = new Set<string>();
  return answered("getExport", ({ body }) => {
    const { jobId } = body as { jobId: string };
    return seen.size === seen.add(jobId).size ? {} : change;
  });
}

/** Uses paths that the embedded platform does not have, as `[theirs, ours]`. */
const paths = (...pairs: [RegExp, string][]): Habit => ({
  request: ({ path }) => {
    const [theirs, ours] = pairs.find(([form]) => form.test(path)) ?? [];
    return theirs === undefined
      ? errorOf(404, { error: `no route ${path}` })
      : { path: path.replace(theirs, ours ?? "") };
  },
});
const exportPaths: [RegExp, string][] = [[/^\/v1\/static-export\/jobs/, "/v1/static-export/jobs"]];
const messagePath: [RegExp, string] = [/^\/v2\/agent\/docs\/job\/agent-1\/message$/, "$&"];
const agentJobPath: [RegExp, string] = [/^\/v2\/agent\/docs\/job\/agent-1$/, "$&"];

/** Redirects the paths of the API text to the same paths with a slash at their end. */
const slashed = (status: number, methods: RegExp, origin = (_host: string) => ""): Habit => ({
  request: ({ method, path, headers }) =>
    path.endsWith("/") || !methods.test(method)
      ? { path: path.replace(/\/$/, "") }
      : errorOf(status, "moved", { location: `${origin(String(headers.host))}${path}/` }),
});

/** Job ids of another form; `write` makes one from a number. */
function ids(write: (number: number) => string, asNumber = false): Habit {
  const known = new Map<string, string>();
  const theirs = (ours: string): string => known.get(ours) ?? known.set(ours, write(known.size + 1)).get(ours) ?? "";
  const ours = (segment: string) => [...known].find(([, id]) => id === decodeURIComponent(segment))?.[0] ?? segment;
  return {
    request: ({ path }: PlainRequest) => ({ path: path.replace(/(?<=\/jobs\/)[^/]+/, ours) }),
    answer: ({ body }) => {
      const told = body as Body;
      const id = typeof told.jobId === "string" ? theirs(told.jobId) : undefined;
      const text = JSON.stringify({ ...told, jobId: id });
      return { body: asNumber && id !== undefined ? text.replace(JSON.stringify(id), id) : text };
    },
  };
}

/** Tells the id of a started job only in its Location. */
const located = (status: number, body: unknown, write = (path: string) => path): Habit =>
  answered("startExport", (usual) => ({
    status,
    headers: { location: write(`/v1/static-export/jobs/${(usual.body as Body).jobId}`) },
    body,
  }));

/**
 * The first value of an axis runs in every test run, the others in the campaign. Put a value first that has failed
 * once.
 */
export const strangePlatforms: readonly Strange[] = [
  ...axis("prefix of an admin API key", [
    ["none", { apiKey: "0123456789abcdef0123456789abcdef", engine: "campaign" }],
    ["another one", { apiKey: "org-live_0123456789abcdef" }],
    ["a JSON Web Token", { apiKey: "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhZG1pbiJ9.c2lnbmF0dXJl-_x" }],
    ["in Base64", { apiKey: "q83vEjRWeJCrze8SNFZ4kA+/x==" }],
    ["2,000 characters", { apiKey: `ey${"J".repeat(1_998)}` }],
  ]),

  ...axis("status of a good answer", [
    ...[202, 201, 203].map(
      (status) => [`${status} to a start`, { habit: answered("startExport", () => ({ status })) }] as const,
    ),
    ...[202, 201].map(
      (status) => [`${status} to a mint`, { habit: answered("generateBundle", () => ({ status })) }] as const,
    ),
    ["202 to a look", { habit: answered("getExport", () => ({ status: 202 })) }],
    ["202 to a message", { habit: answered("sendMessage", () => ({ status: 202 })) }],
    ["203 to a look at an agent job", { habit: answered("getAgentJob", () => ({ status: 203 })) }],
  ]),

  ...axis("where a start tells the job's id", [
    ["Location, 204", { habit: located(204, ""), engine: "campaign" }],
    ["Location, 202 and an empty object", { habit: located(202, {}) }],
    ["Location with its host", { habit: located(201, "", (path) => `https://api.example.com${path}?view=full`) }],
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
    ["gzip, and no header says so", { habit: encoded(undefined, gzipSync) }],
    ["gzip", { habit: encoded("gzip", gzipSync) }],
    ["GZIP in upper case", { habit: encoded("GZIP", gzipSync) }],
    ["br", { habit: encoded("br", brotliCompressSync) }],
    ["deflate", { habit: encoded("deflate", deflateSync) }],
    ["deflate without its own header", { habit: encoded("deflate", deflateRawSync) }],
    ["zstd", { habit: encoded("zstd", zstdCompressSync) }],
    ["gzip, gzip", { habit: encoded("gzip, gzip", (body) => gzipSync(gzipSync(body))) }],
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
    ["a number beyond 2^53", { habit: ids((number) => `123456789012345678${number}`, true), engine: "campaign" }],
    ["a number", { habit: ids((number) => `${1_000_000 + number}`, true) }],
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
      "a prefix, and a slash at the end",
      {
        basePath: "/admin/api/",
        engine: "campaign",
        habit: { request: ({ path }) => ({ path: path.replace("/admin/api/", "/") }) },
      },
    ],
    [
      "another version",
      {
        habit: paths([/^\/v3\/exports/, "/v1/static-export/jobs"], messagePath, agentJobPath),
        environment: routes({
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
        environment: routes({ sendMessage: "/v2/projects/{projectId}/messages/{id}" }),
      },
    ],
  ]),

  ...axis("redirects of the API", [
    ["308 to a slash at the end", { habit: slashed(308, /./), engine: "campaign" }],
    ["307 to an address with its host", { habit: slashed(307, /./, (host) => `http://${host}`) }],
    ["301 of what is read", { habit: slashed(301, /GET/) }],
  ]),

  ...axis("method and path of get-job", [
    [
      "elsewhere",
      {
        habit: paths([/^\/v2\/agent-jobs\/([^/]+)$/, "/v2/agent/docs/job/$1"], ...exportPaths, messagePath),
        environment: routes({ getAgentJob: "/v2/agent-jobs/{id}" }),
      },
    ],
    [
      "nowhere",
      {
        habit: answered("getAgentJob", () => errorOf(404, { error: "no such route" })),
        warns: "agent job agent-1 could not be read; the state stays as it is",
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
    ["404", { habit: firstLook(errorOf(404, { error: "no such job" })), engine: "campaign" }],
    ["404, three times", { habit: first(aLook, 3, errorOf(404, { error: "no such job" })) }],
  ]),

  ...axis("words for a status", [
    ...written(["IN_PROGRESS", "rendering", "pending_review", "läuft noch", "x".repeat(500)], (status) =>
      firstLook({ body: { status, progress: 99 } }),
    ),
    ...written(["COMPLETED", "Completed", " completed\n"], (status) =>
      fields("getExport", (body) => ({ ...body, ...(body.status === "completed" && { status }) })),
    ),
  ]),
  ...axis(
    "type and unit of `progress`",
    written(
      [
        null,
        "12 of 40",
        "45%",
        "0.4",
        "",
        0.4,
        1,
        120,
        -1,
        1e300,
        true,
        [1, 2],
        {},
        { done: 3, total: 9 },
        { percentage: 12.5 },
      ],
      (progress) => firstLook({ body: { status: "queued", progress } }),
    ),
  ),
  ...axis(
    "type of `pageCount`",
    written([null, "12", "1,024", "", 1.5, -3, 1e300, [], { total: 4 }], (pageCount) => job({ pageCount })),
  ),
  ...axis("times of a job", [
    ["in seconds", { habit: job({ createdAt: 1_700_000_000, finishedAt: "1700000300" }) }],
    ["null", { habit: job({ startedAt: null, createdAt: null, completedAt: null, finishedAt: null }) }],
    ["words", { habit: job({ startedAt: "just now", completedAt: "" }) }],
    ["its end before its begin", { habit: job({ startedAt: "2026-03-02", completedAt: "2026-03-01" }) }],
  ]),

  ...axis("form of `expiresAt`", [
    ["microseconds", { habit: expiry((at) => at * 1_000) }],
    ["nanoseconds", { habit: expiry((at) => at * 1_000_000), engine: "campaign" }],
    ["nanoseconds in a text", { habit: expiry((at) => `${at}000000`) }],
    ["the basic form of ISO 8601", { habit: expiry(compact) }],
    ["seconds in an object", { habit: expiry((at) => ({ _seconds: Math.floor(at / 1_000), _nanoseconds: 0 })) }],
    ["missing, where the signature tells it", { habit: fields("generateBundle", (body) => signedEnd(body)) }],
    ["null, where the signature tells it", { habit: fields("generateBundle", (body) => signedEnd(body, null)) }],
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
    ["a path", { habit: link(({ pathname, search }) => pathname + search), engine: "campaign" }],
    ["without a scheme", { habit: link(({ host, pathname, search }) => `//${host}${pathname}${search}`) }],
    ["blanks around it", { habit: link(({ href }) => ` ${href}\n`) }],
    ["its scheme in upper case", { habit: link(({ href }) => href.replace("http", "HTTP")) }],
    ["a fragment", { habit: link(({ href }) => `${href}#bundle`) }],
    ["no query", { habit: link(({ href }) => href.replace(/\?.*/, "")) }],
    ["signs that are not encoded", { habit: link(({ href }) => `${href}&name=größe (1).tar.gz`) }],
    ["4,000 characters", { habit: link(({ href }) => `${href}&token=${"a".repeat(4_000)}`) }],
    ["another name of the host", { habit: link(({ href }) => href.replace("127.0.0.1", "localhost")) }],
  ]),

  ...axis("when the bundle is there", [
    ["202 without a link", { habit: first(aMint, 1, errorOf(202, { status: "generating" })), engine: "campaign" }],
    ...[404, 409, 425, 503].map((status) => [`${status}`, { habit: first(aMint, 1, errorOf(status)) }] as const),
    ["409, three times", { habit: first(aMint, 3, errorOf(409)) }],
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
    ["503 first", { habit: stumbling(503) }],
    ["403 to the first link", { habit: stumbling(403) }],
  ]),

  ...axis("format of the archive", [
    ...["tar.xz", "tar.zst", "tar.gz", "tar", "zip"].map((archive) => [archive, { archive }] as const),
    ["with ./ before each name", { archive: "dotted" }],
  ]),
  ...axis("folder around the site in the archive", [
    ["one", { archive: "folder", warns: "it is published without that folder", engine: "campaign" }],
  ]),

  ...axis("HTTP statuses and bodies of errors", [
    [
      "a look: 500 and a page",
      { habit: first(aLook, 1, errorOf(500, "<h1>Oops</h1>", { "content-type": "text/html" })) },
    ],
    ["a look: 200 and a page", { habit: first(aLook, 1, errorOf(200, "<h1>Back soon</h1>")) }],
    ["a look: 204 and nothing", { habit: first(aLook, 1, errorOf(204, "", {})) }],
    ["a look: 502 and nothing", { habit: first(aLook, 1, errorOf(502, "", {})) }],
    ["a mint: 200 and a page", { habit: first(aMint, 1, errorOf(200, "<h1>Back soon</h1>")) }],
    ["a mint: 504 and a text", { habit: first(aMint, 1, errorOf(504, "upstream", { "content-type": "text/plain" })) }],
  ]),
  ...axis("start that is refused for a while", [
    ["503 and a time", { habit: firstStart(errorOf(503, "", { "retry-after": "1" })) }],
    ["429 and a time", { habit: firstStart(errorOf(429, { error: "slow" }, { "retry-after": "1" })) }],
    ["429 and no time", { habit: firstStart(errorOf(429)) }],
  ]),
  ...axis("rate limits of exports", [
    ["a look: 429 and no time", { habit: first(aLook, 1, errorOf(429)) }],
    [
      "a look: 429 and a date",
      { habit: first(aLook, 1, errorOf(429, "", { "retry-after": new Date().toUTCString() })) },
    ],
    ["a mint: 429 and a time", { habit: first(aMint, 1, errorOf(429, "", { "retry-after": "0.2" })) }],
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
        habit: { answer: ({ headers, body }) => ({ headers: shifted(headers), body: shiftedEnd(body as Body) }) },
        warns: "Links are renewed at the right time",
      },
    ],
    ["not told", { habit: { answer: ({ headers: { date: _, ...headers } }) => ({ headers }) } }],
    ["in words of its own", { habit: { answer: ({ headers }) => ({ headers: { ...headers, date: "today" } }) } }],
  ]),
];

function routes(templates: Record<string, string>): Record<string, string> {
  return { DOCS_PLATFORM_ROUTES: JSON.stringify(templates) };
}

/** Changes both answers about an agent job. */
function agentJob(change: (body: Body) => Body): Habit {
  return {
    answer: ({ status, body }, { operation }) =>
      status < 300 && (operation === "sendMessage" || operation === "getAgentJob")
        ? { body: { ...(body as Body), ...change(body as Body) } }
        : undefined,
  };
}

/** The storage refuses the first request. */
function stumbling(status: number): Habit {
  let isFirst = true;
  return {
    file: () => {
      const refuses = isFirst;
      isFirst = false;
      return refuses ? errorOf(status, "<Error/>") : undefined;
    },
  };
}

function shifted(headers: Record<string, string>): Record<string, string> {
  return { ...headers, date: new Date(Date.now() + 3_600_000).toUTCString() };
}

function shiftedEnd({ expiresAt, ...rest }: Body): Body {
  return typeof expiresAt === "string"
    ? { ...rest, expiresAt: new Date(Date.parse(expiresAt) + 3_600_000).toISOString() }
    : rest;
}
