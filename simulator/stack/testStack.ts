import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, realpath, rm, symlink } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import type { Stack } from "@pulumi/pulumi/automation";
import type { PlatformOptions } from "../options";
import { type Platform, startPlatform } from "../platform";

/** A stack in its own folder, and the stack's platform. Both have the same clock. */
export interface TestStack {
  readonly stack: Stack;
  readonly platform: Platform;
  /** The copy of the program. `close` removes the folder and all files in it. */
  readonly folder: string;
  /**
   * Sets the clock ahead: for the platform immediately, and for the stack in the next run. Only `Date.now()` changes,
   * so jobs do not become faster.
   * @param milliseconds 0 or more.
   */
  passTime(milliseconds: number): void;
  /** Ends the platform, and removes the program's copy, the state, the settings and the journal. */
  close(): Promise<void>;
}

/** The names that are not copied: the packages, the Git data, and the settings of the stacks. */
const leftOut = /^(node_modules|\.git|Pulumi\..+\.ya?ml)$/;

/**
 * Starts a platform, and copies a Node.js project of Pulumi into a temporary folder. Makes an empty stack there with
 * its own backend, home and journal. Needs `pulumi` on PATH, and uses the project's packages.
 * @param project The folder with the project's Pulumi.yaml.
 * @throws the error of `startPlatform` or of the Automation API. In this case nothing remains.
 */
export async function startTestStack(project: string, options: PlatformOptions = {}): Promise<TestStack> {
  const platform = await startPlatform(options);
  const home = await realpath(await mkdtemp(join(tmpdir(), "docs-platform-test-")));
  const close = async () => {
    await platform.close();
    await rm(home, { recursive: true, force: true });
  };
  try {
    const folder = join(home, "program");
    await cp(project, folder, { recursive: true, filter: (file) => !leftOut.test(basename(file)) });
    await link(modulesOf(resolve(project)), join(folder, "node_modules"));
    await mkdir(join(home, "backend"));
    // With this link, the engine finds the installed plugins, and does not download them again.
    await link(join(process.env.PULUMI_HOME ?? join(homedir(), ".pulumi"), "plugins"), join(home, "plugins"));
    const envVars: Record<string, string> = {
      PULUMI_BACKEND_URL: `file://${home}/backend`,
      PULUMI_CONFIG_PASSPHRASE: "test",
      PULUMI_SKIP_UPDATE_CHECK: "true",
      // The engine's processes write compiled code to this folder.
      ...Object.fromEntries(["TMPDIR", "TEMP", "TMP"].map((name) => [name, home])),
      DOCS_PLATFORM_BASE_URL: platform.baseUrl,
      DOCS_PLATFORM_API_KEY: platform.apiKey,
      DOCS_PLATFORM_JOURNAL: join(home, "journal"),
      DOCS_PLATFORM_TEST_CLOCK_AHEAD: String(platform.clockOffset),
      NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ""} --require ${JSON.stringify(join(__dirname, "sharedClock.js"))}`,
    };
    const { LocalWorkspace } = await import("@pulumi/pulumi/automation/index.js");
    const stack = await LocalWorkspace.createStack(
      { stackName: "test", workDir: folder },
      { pulumiHome: home, envVars },
    );
    return {
      stack,
      platform,
      folder,
      passTime(milliseconds) {
        platform.clockOffset += milliseconds;
        stack.workspace.envVars.DOCS_PLATFORM_TEST_CLOCK_AHEAD = String(platform.clockOffset);
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The packages are in the project, or in the project's workspace. */
function modulesOf(folder: string): string {
  const modules = join(folder, "node_modules");
  return existsSync(modules) || dirname(folder) === folder ? modules : modulesOf(dirname(folder));
}

async function link(target: string, path: string): Promise<void> {
  if (existsSync(target)) {
    await symlink(target, path, "junction");
  }
}
