import { cpSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Ended, startProcess } from "../../../tools/processes/startProcess";
import { projectRoot } from "../../../tools/projectRoot";
import { getTool } from "../../../tools/toolchain/getTool";
import { campaign } from "../../support/campaign";
import { look, mint, requestsTo, start, tally, testPlatform, testStack } from "../../support/engineTest";
import { type ProgramHost, plainHost, yaml } from "./hosts";
import { languages } from "./languages";

/** One prepared program, for the engine's own lifecycle test. */
interface ProgramTest {
  /** The folder with the program. The test copies it. */
  dir: string;
  /** The environment of every command. */
  environment: Record<string, string>;
  /** The packages that a package manager would install, and the plugin, by their names in the copy. */
  links: Record<string, string>;
  /** The outputs that the stack must have. */
  outputs: readonly string[];
}

/**
 * Runs ProgramTest of the engine's module on a program: preview, update, export and import, empty preview and update,
 * refresh, empty preview, destroy.
 */
async function runProgramTest({ environment, ...test }: ProgramTest): Promise<Ended> {
  const executable = await getTool("program-test");
  const env = { ...process.env, ...environment, PROGRAM_TEST: JSON.stringify(test) };
  return startProcess(executable, ["-test.v"], { cwd: test.dir, env }).ended;
}

const site = { domain: "docs.example.com" };
/**
 * Files that belong to a stack, or lead out of its folder, are not copied. ProgramTest makes stacks of its own, and
 * follows links.
 */
const notCopied = ["backend", "home", "node_modules", "packages", "plugin"];

function copy(program: string): string {
  const dir = mkdtempSync(join(tmpdir(), "program-test-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  cpSync(program, dir, { recursive: true, filter: (file) => !notCopied.includes(basename(file)) });
  return dir;
}

const quickstart: ProgramHost = {
  ...plainHost,
  name: "quickstart, on dynamic resources",
  async prepare() {},
  declare() {},
};

/** The first run builds the engine's own lifecycle test for minutes. */
describe.skipIf(!campaign)("ProgramTest of the engine's module passes on", () => {
  it.each([quickstart, yaml, plainHost, ...Object.values(languages)])(
    "$name: one start, one link, and a look in the first run and in the refresh",
    async (host) => {
      const platform = await testPlatform({ jobTime: 0 });
      const stack = await testStack(platform, {});
      await host.prepare(stack);
      host.declare(stack, { site, bundle: {} });
      const { PULUMI_HOME, PULUMI_BACKEND_URL, PULUMI_STACK, PULUMI_CONFIG_PASSPHRASE, ...environment } =
        stack.environment;
      const isQuickstart = host === quickstart;
      const packages = join(isQuickstart ? projectRoot : stack.folder, "node_modules");
      const { code, output } = await runProgramTest({
        dir: copy(isQuickstart ? join(projectRoot, "examples", "quickstart") : stack.folder),
        environment: environment as Record<string, string>,
        links: { plugin: join(projectRoot, "plugin"), ...(existsSync(packages) && { node_modules: packages }) },
        outputs: ["jobId", "version", "expiresAt", "bundleUrl"],
      });
      expect(code, output).toBe(0);
      expect(output).toContain("--- PASS: ProgramTest");
      const [jobId] = platform.jobs.list().map((job) => job.jobId);
      expect(tally(requestsTo(platform))).toEqual({ [start]: 1, [look(jobId)]: 2, [mint(jobId)]: 1 });
    },
    1_200_000,
  );
});
