import { expect, it } from "vitest";
import { z } from "zod";
import { bodyText } from "../../../../provider/platform/errorText";
import { parseProgress } from "../../../../provider/platform/parseProgress";
import { parseTimestamp } from "../../../../provider/platform/parseTimestamp";
import { requestFailureError } from "../../../../provider/platform/requestError";
import { platformRoutes } from "../../../../provider/platform/routes";
import * as schemas from "../../../../provider/platform/schemas";
import { printable } from "../../../../provider/support/printable";
import { goodBody, testSettings } from "../../../support/clientUnderTest";

/** In milliseconds. A normal step takes about 30 ms. Work that grows with the square of the size would take seconds. */
const longest = 500;

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
  bodyText,
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
