import { fields, type Habit, type PlainAnswer, type PlainRequest, type StrangeOperation } from "./strangePlatform";

export type Body = Record<string, unknown>;
export const withAnswer = (
  operation: StrangeOperation,
  change: (usual: PlainAnswer) => Partial<PlainAnswer>,
): Habit => ({
  answer: (usual, request) => (request.operation === operation ? change(usual) : undefined),
});

/** Changes the body of every successful answer. */
export const bodies = (change: (body: Body) => unknown): Habit => ({
  answer: ({ status, body }) => (status < 300 ? { body: change(body as Body) } : undefined),
});

const time = (body: Body) => Date.parse(String(body.expiresAt));
export const expiry = (write: (time: number) => unknown) =>
  fields("generateBundle", (body) => ({ ...body, expiresAt: write(time(body)) }));
/**
 * Writes a link's expiry time into the link's signature, as an object storage does. In the body, `expiresAt` is then
 * missing or null.
 */
export const signedExpiry = (body: Body, expiresAt?: null) => ({
  ...body,
  bundleUrl: `${body.bundleUrl}&X-Amz-Date=${compact(time(body) - 3_600_000)}&X-Amz-Expires=3600`,
  expiresAt,
});
export const compact = (at: number) => new Date(at).toISOString().replace(/[-:]|\.\d+/g, "");
export const job = (change: Body) => fields("getExport", (body) => ({ ...body, ...change }));
export const bundleLink = (write: (link: URL) => string) =>
  fields("generateBundle", (body) => ({ ...body, bundleUrl: write(new URL(String(body.bundleUrl))) }));
const bytesOf = (body: unknown) => Buffer.from(JSON.stringify(body));
export const encoded = (encoding: string | undefined, encode: (body: Buffer) => Buffer): Habit => ({
  answer: ({ body, headers }) => ({
    body: encode(bytesOf(body)),
    headers: { ...headers, ...(encoding !== undefined && { "content-encoding": encoding }) },
  }),
});

const json = { "content-type": "application/json" };
export const errorOf = (
  status: number,
  body: unknown = { error: "not now" },
  headers: Record<string, string> = json,
) => ({
  status,
  headers,
  body,
});

type Answer = PlainAnswer | (() => PlainAnswer);
const now = (answer: Answer): PlainAnswer => (typeof answer === "function" ? answer() : answer);

/**
 * Gives this answer to the first `times` requests that match `kind`, a pattern of method and path. Requests with
 * different methods, paths or bodies have separate counts.
 */
export function firstAnswers(kind: RegExp, times: number, answer: Answer): Habit {
  const asked = new Map<string, number>();
  return {
    request: ({ method, path, body }) => {
      const key = `${method} ${path} ${JSON.stringify(body)}`;
      const count = (asked.get(key) ?? 0) + 1;
      asked.set(key, count);
      return kind.test(`${method} ${path}`) && count <= times ? now(answer) : undefined;
    },
  };
}
const startRequest = /^POST .*\/jobs$/;
export const pollRequest = /^GET .*\/jobs\/[^/]+$/;
export const mintRequest = /\/bundle$/;
/**
 * Gives this answer to the first start only. The returned behaviour works only once, so each test case must call
 * `firstStart` itself.
 */
export const firstStart = (answer: Answer): Habit => {
  let isFirst = true;
  return {
    request: ({ method, path }) => {
      const answers = isFirst && startRequest.test(`${method} ${path}`);
      isFirst &&= !answers;
      return answers ? now(answer) : undefined;
    },
  };
};

/** Changes the answer to the first poll of each job. */
export function firstPoll(change: Partial<PlainAnswer>): Habit {
  const seen = new Set<string>();
  return withAnswer("getExport", ({ body }) => {
    const { jobId } = body as { jobId: string };
    return seen.size === seen.add(jobId).size ? {} : change;
  });
}

/**
 * Gives the platform other paths. Each pair is `[theirs, ours]`: a pattern of the strange platform's path, and the path
 * of the embedded platform. Every other path gets 404.
 */
export const paths = (...pairs: [RegExp, string][]): Habit => ({
  request: ({ path }) => {
    const [theirs, ours] = pairs.find(([form]) => form.test(path)) ?? [];
    return theirs === undefined
      ? errorOf(404, { error: `no route ${path}` })
      : { path: path.replace(theirs, ours ?? "") };
  },
});
export const exportPaths: [RegExp, string][] = [[/^\/v1\/static-export\/jobs/, "/v1/static-export/jobs"]];
export const messagePath: [RegExp, string] = [/^\/v2\/agent\/docs\/job\/agent-1\/message$/, "$&"];
export const agentJobPath: [RegExp, string] = [/^\/v2\/agent\/docs\/job\/agent-1$/, "$&"];

/** `write` makes the id from a job's number. */
export function ids(write: (number: number) => string, asNumber = false): Habit {
  const known = new Map<string, string>();
  const theirs = (ours: string): string => known.get(ours) ?? known.set(ours, write(known.size + 1)).get(ours) ?? "";
  const ours = (segment: string) => [...known].find(([, id]) => id === decodeURIComponent(segment))?.[0] ?? segment;
  return {
    request: ({ path }: PlainRequest) => ({ path: path.replace(/(?<=\/jobs\/)[^/]+/, ours) }),
    answer: ({ body }) => {
      const original = body as Body;
      const id = typeof original.jobId === "string" ? theirs(original.jobId) : undefined;
      const text = JSON.stringify({ ...original, jobId: id });
      return { body: asNumber && id !== undefined ? text.replace(JSON.stringify(id), id) : text };
    },
  };
}

export function customRoutes(templates: Record<string, string>): Record<string, string> {
  return { DOCS_PLATFORM_ROUTES: JSON.stringify(templates) };
}

/** Changes the platform's answers to a message and to a poll of an agent job. */
export function agentJob(change: (body: Body) => Body): Habit {
  return {
    answer: ({ status, body }, { operation }) =>
      status < 300 && (operation === "sendMessage" || operation === "getAgentJob")
        ? { body: { ...(body as Body), ...change(body as Body) } }
        : undefined,
  };
}

/** The storage refuses the first request for the bundle with this status. */
export function refusedFirstDownload(status: number): Habit {
  let isFirst = true;
  return {
    file: () => {
      const refuses = isFirst;
      isFirst = false;
      return refuses ? errorOf(status, "<Error/>") : undefined;
    },
  };
}

export function shifted(headers: Record<string, string>): Record<string, string> {
  return { ...headers, date: new Date(Date.now() + 3_600_000).toUTCString() };
}

export function shiftedExpiry({ expiresAt, ...rest }: Body): Body {
  return typeof expiresAt === "string"
    ? { ...rest, expiresAt: new Date(Date.parse(expiresAt) + 3_600_000).toISOString() }
    : rest;
}

/** Redirects a start to another path, `/v3/exports`, and accepts the start at that path. */
export const movedStart: Habit = {
  request: ({ path }) =>
    path === "/v1/static-export/jobs"
      ? errorOf(308, "", { location: "/v3/exports" })
      : { path: path.replace(/^\/v3\/exports$/, "/v1/static-export/jobs") },
};

/** Answers 409 at `/v3/exports`, as if a job of another domain were running. */
export const busyElsewhere: Habit = {
  request: ({ path }) =>
    path === "/v3/exports" ? errorOf(409, { error: "busy", jobId: "theirs", domain: "other.example.com" }) : undefined,
};

/**
 * The platform packs the bundle only when a link is requested. The first `mints` answers contain a time to wait, and no
 * link.
 */
export const packedOnDemand = (mints: number): Habit =>
  firstAnswers(mintRequest, mints, errorOf(202, { status: "packing" }, { ...json, "retry-after": "1" }));
