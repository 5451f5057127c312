import { describe, expect, it } from "vitest";
import { inPhases } from "../../../tools/test/phases";

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
