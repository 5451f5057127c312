import { relative } from "node:path";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** The folders whose files take minutes: they come first, so that what is left at the end is short and fills each worker. */
const slow = /^(lab|test[/\\](package|engine|delivery|faults|docs|platform[/\\]foreign))[/\\]/;

/** A machine has one network and one control group for a node. */
const cluster = ["lab/cluster/test/*.test.ts"];

class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isSlow = ({ moduleId }: TestSpecification) => slow.test(relative(import.meta.dirname, moduleId));
    return [...sorted.filter(isSlow), ...sorted.filter((file) => !isSlow(file))];
  }
}

export default defineConfig({
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: "shared",
          include: ["{lab,test}/**/*.test.ts"],
          exclude: cluster,
          globalSetup: "test/support/runFolder.ts",
        },
      },
      // One file after the other, and after all others.
      { extends: true, test: { name: "cluster", include: cluster, maxWorkers: 1, sequence: { groupOrder: 1 } } },
    ],
    // A process of its own for each file would load the same modules anew, at half a second of CPU for each of 300 files.
    isolate: false,
    // Runs of the engine wait more than they work. In the campaign, more tests at once would lengthen the measured times.
    maxWorkers: process.env.CAMPAIGN === "1" ? 2 : 4,
    // So do tests of one file that run side by side.
    maxConcurrency: 10,
    // Three times what a process needs: one that runs away ends soon, and vitest names the file.
    execArgv: ["--max-old-space-size=1300"],
    // `-t` compares whole names.
    taskTitleValueFormatTruncate: 0,
    setupFiles: ["test/support/beginTestFile.ts"],
    sequence: { sequencer: SlowFirst },
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // A process that starts on a busy machine takes seconds.
    expect: { poll: { timeout: 30_000 } },
    coverage: {
      reportOnFailure: true,
      include: ["sdk/**", "provider/**", "simulator/**"],
      exclude: ["dist/**"],
      reporter: ["text", "html"],
    },
  },
});
