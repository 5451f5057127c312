import { hostname } from "node:os";
import { startPlatform } from "../../simulator/index";
import { EngineStack } from "../../test/support/engineStack";
import { killAll } from "../../test/support/fixtures/kills";
import { runStatus } from "../../test/support/runStatus";
import { until } from "../../test/support/until";

const minute = 60_000;

/** Prints the status after each step: a clock that is set ahead, a failed job, and a killed run. */
async function main(): Promise<void> {
  const platform = await startPlatform({ queueTime: 0, jobTime: 2_000, linkLife: 60 * minute });
  const program = (revision: number) => ({
    site: { domain: "docs.example.com", triggers: { revision } },
    bundle: {},
  });
  const stack = await EngineStack.create(platform, program(1));
  const tell = async (when: string, ahead = 0) => {
    const { stdout } = await runStatus(stack, { ahead });
    console.log(`━━ ${when}\n$ npx pulumi-docs-platform status\n${stdout.replaceAll(hostname(), "runner-7")}`);
  };
  try {
    await stack.up();
    await tell("The link is good");
    await tell("The next run renews the link", 52 * minute);
    await tell("No run has renewed the link", 61 * minute);
    platform.failJobs = "out of memory";
    stack.declare(program(2));
    await stack.up();
    await tell("The export of a new revision has failed");
    Object.assign(platform, { failJobs: undefined, jobTime: 60 * minute });
    stack.declare(program(3));
    const { getExport } = platform.counts;
    const run = stack.start("up", "--yes", "--skip-preview");
    await until(() => platform.counts.getExport > getExport);
    killAll(stack);
    await run.ended;
    await tell("The run of the next one was killed");
  } finally {
    stack.remove();
    await platform.close();
  }
}

void main();
