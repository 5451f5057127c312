import { describe, expect, it } from "vitest";
import { projectRoot } from "../../../tools/projectRoot";
import { inPhases } from "../../../tools/test/phases";
import { slowestFiles } from "../../../tools/test/report";

const needs: Record<string, string[]> = { unit: [], engine: ["pulumi"], chart: ["pulumi", "helm"] };
const files = Object.keys(needs);

/**
 * Runs {@link files} while tools become ready in this order. The tools of `atOnce` are ready before the first phase.
 */
async function phases(atOnce: readonly string[], order: readonly string[]): Promise<string[][]> {
  const settled = new Set(atOnce);
  const left = [...order];
  const tools = {
    isSettled: (tool: string) => settled.has(tool),
    async next() {
      const tool = left.shift();
      if (tool === undefined) {
        throw new Error("no tool is left to wait for");
      }
      settled.add(tool);
    },
  };
  return inPhases(
    files,
    (file) => needs[file] ?? [],
    tools,
    async (ready) => [...ready],
  );
}

describe("the phases of `npm test`", () => {
  it("are one when all tools are in the cache", async () => {
    expect(await phases(["pulumi", "helm"], [])).toEqual([files]);
  });

  it("start with the files that need no tool, and each later phase holds the files whose tools are settled by then", async () => {
    expect(await phases([], ["pulumi", "helm"])).toEqual([["unit"], ["engine"], ["chart"]]);
    expect(await phases([], ["helm", "pulumi"])).toEqual([["unit"], ["engine", "chart"]]);
  });
});

describe("the slowest test files", () => {
  it("are listed with the number of their engine runs, the slowest first", () => {
    const file = (name: string, seconds: number) => {
      const times = { startTime: 1_000, endTime: 1_000 + seconds * 1_000 };
      return { name: `${projectRoot}/test/${name}`, status: "passed", assertionResults: [], ...times };
    };
    const none = { numPassedTests: 0, numFailedTests: 0, numPendingTests: 0, numTodoTests: 0 };
    const reports = [[file("fast", 1), file("slow", 12.34)], [file("middle", 5)]];
    const runs = ["slow", "slow", "middle"].map((name) => `${projectRoot}/test/${name}`);
    const lines = slowestFiles(
      reports.map((testResults) => ({ ...none, testResults })),
      runs,
      2,
    );
    expect(lines).toEqual([
      "seconds engine runs  test file, the slowest 2 of 3",
      "   12.3           2  test/slow",
      "    5.0           1  test/middle",
    ]);
  });
});
