import fc from "fast-check";
import { expect, it } from "vitest";
import { DocsPlatformError } from "../../../../provider/support/errors";
import { clientFor, clientOperations, goodBody, testKey } from "../../../support/clientUnderTest";
import { serve } from "../../../support/loopback";

const isText = (value: unknown) => typeof value === "string" && value !== "";
const isTime = (value: unknown) => typeof value === "number" && !Number.isNaN(new Date(value).getTime());
const isOptional = (check: (value: unknown) => boolean) => (value: unknown) => value === undefined || check(value);
const isCount = (value: unknown) => Number.isInteger(value) && Number(value) >= 0;
const isShare = (value: unknown) => typeof value === "number" && value >= 0 && value <= 1;

const isSource = (value: unknown) => {
  const { repository, ref, ...others } = Object(value);
  return typeof repository === "string" && (ref === undefined || isText(ref)) && Object.keys(others).length === 0;
};
const agentJob = {
  status: isText,
  source: isOptional(isSource),
  model: isOptional((value) => typeof value === "string"),
  prLink: isOptional(isText),
  createdAt: isOptional(isTime),
  archivedAt: isOptional(isTime),
  error: isOptional(isText),
  otherFields: isOptional(Array.isArray),
  retryAfter: isOptional((value) => Number(value) >= 0),
};

const forms: Record<keyof typeof clientOperations, Record<string, (value: unknown) => boolean>> = {
  startExport: { jobId: isText, domain: isOptional(isText), platformTime: isTime },
  getExport: {
    status: isText,
    progress: isOptional(isShare),
    pageCount: isOptional(isCount),
    error: isOptional(isText),
    domain: isOptional(isText),
    startedAt: isOptional(isTime),
    completedAt: isOptional(isTime),
    hasLink: isOptional((value) => value === true),
    retryAfter: isOptional((value) => Number(value) >= 0),
    otherFields: isOptional(Array.isArray),
    platformTime: isTime,
  },
  createBundle: {
    bundleUrl: (value) => isText(value) && URL.canParse(String(value)),
    expiresAt: isTime,
    signatureEnd: isOptional(isTime),
    sizeBytes: isOptional(isCount),
    platformTime: isTime,
    clockOffset: (value) => Number.isFinite(value),
  },
  sendMessage: agentJob,
  getAgentJob: agentJob,
};

const source = fc.record(
  { repository: fc.webUrl(), ref: fc.option(fc.string()), other: fc.jsonValue({ maxDepth: 1 }) },
  { requiredKeys: [] },
);
const value = fc.oneof(
  source,
  fc.jsonValue({ maxDepth: 2 }),
  fc.string({ unit: "binary" }),
  fc.double(),
  fc.webUrl({ withQueryParameters: true }),
  fc.constantFrom("completed", "failed", "42%", "5/12", "2026-01-31T10:00:00Z", "..", `Bearer ${testKey}`),
);
const names = [
  ...["jobId", "status", "progress", "pageCount", "bundleUrl", "expiresAt", "sizeBytes", "updatedAt"],
  ...["source", "model", "prLink", "archivedAt"],
  ...["error", "message", "domain", "startedAt", "createdAt", "completedAt", "finishedAt", "__proto__"],
];
const fields = fc.dictionary(fc.constantFrom(...names), value);
const body = fc.oneof(
  fields.map((some) => JSON.stringify(some)),
  fields.map((some) => JSON.stringify({ ...goodBody, ...some })),
  fields.map((some) => JSON.stringify({ ...some, ...goodBody })),
  fc.json(),
  fc.string(),
);
const status = fc.oneof(
  fc.constantFrom(200, 201, 202),
  fc.constantFrom(400, 404, 429, 500, 503),
  fc.integer({ min: 200, max: 599 }),
);

const headerText = fc.oneof(
  fc.constantFrom("0", "-1", "120", "1e309", "99999999999999999999", "NaN", "Wed, 21 Oct 2026 07:28:00 GMT"),
  fc.constantFrom("Sat, 13 Sep 275760 00:00:00 GMT", "Mon, 01 Jan 0001 00:00:00 GMT", "tomorrow", `Bearer ${testKey}`),
  fc.webUrl({ withQueryParameters: true }),
  fc.stringMatching(/^[ -~]{0,40}$/),
);
const headers = fc.dictionary(
  fc.constantFrom("date", "retry-after", "content-type", "location", "x-other"),
  headerText,
);

it("whatever the platform answers, a method gives a valid value, or throws an error of the tree that shows no key", async () => {
  let current = { status: 200, body: "", headers: {} };
  const server = await serve((response) => {
    response.writeHead(current.status, current.headers);
    response.end(current.body);
  });
  const client = clientFor(server.url, { maxRetries: 0 });
  let good = 0;
  await fc.assert(
    fc.asyncProperty(status, body, headers, async (answered, text, others) => {
      current = { status: answered, body: text, headers: others };
      for (const [name, operation] of Object.entries(clientOperations)) {
        try {
          const result: Record<string, unknown> = { ...(await operation(client)) };
          const form = forms[name as keyof typeof clientOperations];
          expect(Object.keys(result).filter((key) => !(key in form))).toEqual([]);
          for (const [key, check] of Object.entries(form)) {
            expect(check(result[key]), `${name} ${key} = ${String(result[key])}`).toBe(true);
          }
          good++;
        } catch (error) {
          if (!(error instanceof DocsPlatformError)) {
            throw error;
          }
          expect(error.message).not.toContain(testKey);
          expect(error.message).toMatch(/\n {2}What to do: \S[^\n]*(\n {4}\S[^\n]*)?$/);
        }
      }
    }),
    { numRuns: 300, seed: 15 },
  );
  expect(good).toBeGreaterThan(100);
});
