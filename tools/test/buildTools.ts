import { setPriority } from "node:os";
import { executablesOnPath } from "../processes/executables";
import { nodeBinary } from "../release/plugins/nodeBinary";
import { ownTarget } from "../release/plugins/target";
import { type ToolName, toolsOfTests } from "../toolchain/catalogue";
import { getTool } from "../toolchain/getTool";
import { Interrupted } from "../toolchain/interruptible";
import type { ToolReport } from "./toolBuilds";

/** Builds the tools of `npm test` while the tests run. A tool that needs a missing `go` or `python3` is not built. */
async function main(): Promise<void> {
  setPriority(19);
  // Some tests need Node.js at once. If the download fails, these tests report the failure.
  await nodeBinary(ownTarget()).catch(() => undefined);
  for (const tool of toolsOfTests) {
    const builder = tool.builtBy === "npx or go" ? "node" : tool.builtBy;
    const begin = Date.now();
    const problem = executablesOnPath(builder).length === 0 ? "" : await problemOf(tool.name);
    report({ name: tool.name, seconds: Math.round((Date.now() - begin) / 1_000), problem });
  }
  process.disconnect?.();
}

async function problemOf(name: ToolName): Promise<string> {
  try {
    await getTool(name);
    return "";
  } catch (error) {
    if (error instanceof Interrupted) {
      throw error;
    }
    return error instanceof Error ? error.message : String(error);
  }
}

function report(report: ToolReport): void {
  process.send?.(report);
}

void main();
