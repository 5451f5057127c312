import fc from "fast-check";
import { expect, it } from "vitest";
import { z } from "zod";
import { quoteErrorBody } from "../../../../provider/platform/errorText";
import { parseProgress } from "../../../../provider/platform/parseProgress";
import { parseTimestamp } from "../../../../provider/platform/parseTimestamp";
import { requestFailureError } from "../../../../provider/platform/requestError";
import { platformRoutes } from "../../../../provider/platform/routes";
import * as schemas from "../../../../provider/platform/schemas";
import { printable } from "../../../../provider/support/printable";
import { campaign } from "../../../support/campaign";
import { goodBody, testSettings } from "../../../support/clientUnderTest";

const largest = 256 * 1024;
/** In milliseconds. A normal step takes about 30 ms. Work that grows with the square of the size would take seconds. */
const longest = 500;

/** Texts on which regular expressions for numbers, times, addresses and tokens may be slow. */
const awkward = [
  ...["1", "00", ".", "/", "%", " ", "\t", "\n", "of", " of ", "per cent", "-", "+", ":", ",", "T", "Z"],
  ...["Mon", "2026", "GMT", "2026-01-31", "10:00", "://", "a://", "@", "?", "#", "&", "=", "sig=", "se="],
  ...["svc_", "bearer ", "basic\t", "token=", "a.", "a+", '"', "\\", "<", "::", "##[", "\u001b[", "\ud83d", "é"],
];
const patterns = fc
  .array(fc.oneof(fc.constantFrom(...awkward), fc.string({ maxLength: 3 })), { minLength: 1, maxLength: 4 })
  .map((parts) => parts.join("") || "1");
const text = fc
  .tuple(patterns, patterns, fc.integer({ min: 1, max: largest }))
  .map(([begin, again, length]) => (begin + again.repeat(Math.ceil(length / again.length))).slice(0, length));

/** Generates a JSON value. Some values are nested so deeply that they can be parsed, but not written. */
const value = fc.oneof(
  text.map((hostile) => JSON.stringify(hostile)),
  text.map((hostile) => JSON.stringify({ percent: hostile, error: hostile, repository: hostile })),
  fc.json(),
  fc.integer({ min: 1, max: 100_000 }).map((depth) => "[".repeat(depth) + "]".repeat(depth)),
  fc
    .integer({ min: 1, max: 20_000 })
    .map((count) => `{${Array.from({ length: count }, (_, index) => `"k${index}":${index}`).join(",")}}`),
);
const fields = [...Object.keys(goodBody), "progress", "pageCount", "domain", "error", "message", "detail"];
const good = JSON.stringify(goodBody).slice(1, -1);
const body = fc
  .oneof(
    value,
    fc
      .dictionary(fc.constantFrom(...fields), value, { minKeys: 1, maxKeys: 3 })
      .map((some) => `{${[good, ...Object.entries(some).map(([name, json]) => `"${name}":${json}`)].join(",")}}`),
    text,
  )
  // A failure shows only the beginning of the answer, because the whole answer is too long.
  .map((all) => ({ answered: all.slice(0, largest), [fc.toStringMethod]: () => all.slice(0, 300) }));

/** Returns the CPU time in milliseconds: the shortest of three runs, because a busy machine makes some runs slower. */
function timeOf(work: () => void): number {
  let best = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < 3 && best >= longest; tries++) {
    const begin = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(begin);
    best = Math.min(best, (user + system) / 1_000);
  }
  return best;
}

const readers: Record<string, (answered: string) => void> = {
  printable,
  parseProgress,
  parseTimestamp,
  quoteErrorBody,
  failure: (text) =>
    requestFailureError({
      settings: testSettings("https://api.example.com"),
      route: { name: "getExport", ...platformRoutes.getExport },
      ids: { jobId: "job-1" },
      result: { kind: "answer", status: 400, headers: {}, text },
      retryAfter: undefined,
    }).message,
};
for (const [name, schema] of Object.entries(schemas)) {
  if (schema instanceof z.ZodType) {
    readers[name] = (answered) => {
      try {
        schema.safeParse(JSON.parse(answered));
      } catch {}
    };
  }
}

it.each([
  ["digits", "1".repeat(60_000)],
  ["digits and blanks", "1 ".repeat(30_000)],
  ["years", `Mon, ${"2026".repeat(15_000)}`],
  ["schemes", "a.".repeat(30_000)],
  ["addresses without a query", "a://".repeat(15_000)],
  // This text has the size of the largest answer that the provider reads.
  ["letters, as many as the largest answer has", "a".repeat(8 * 1_024 ** 2)],
])("60 kB or more of %s are read in a moment, by everything that reads foreign text", (_, hostile) => {
  for (const [name, read] of Object.entries(readers)) {
    for (const answered of [hostile, JSON.stringify({ ...goodBody, progress: hostile, error: hostile })]) {
      expect(
        timeOf(() => read(answered)),
        name,
      ).toBeLessThan(longest);
    }
  }
});

it("whatever JSON or text of 256 KiB is answered, every schema, the error's text and the redaction end within half a second", () => {
  expect(Object.keys(readers).length).toBeGreaterThanOrEqual(9);
  fc.assert(
    fc.property(body, ({ answered }) => {
      for (const [name, read] of Object.entries(readers)) {
        expect(
          timeOf(() => read(answered)),
          name,
        ).toBeLessThan(longest);
      }
    }),
    { numRuns: campaign ? 5_000 : 40, seed: 51, endOnFailure: true },
  );
}, 900_000);
