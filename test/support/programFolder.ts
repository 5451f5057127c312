import { mkdirSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import type { Platform } from "../../simulator/index";
import { projectRoot } from "../../tools/projectRoot";

const modules = join(projectRoot, "node_modules");

/** Where the packages of a program lie: by path below node_modules, what a link leads to. */
export const linkedPackages = {
  // No link to the whole project: the language host reads every folder below node_modules in each run.
  "pulumi-docs-platform/package.json": join(projectRoot, "package.json"),
  "pulumi-docs-platform/dist": join(projectRoot, "dist"),
  "@pulumi/pulumi": join(modules, "@pulumi", "pulumi"),
};

/** Links packages into a program's folder. */
export function linkPackages(folder: string, packages: Readonly<Record<string, string>> = linkedPackages): void {
  for (const [name, target] of Object.entries(packages)) {
    const link = join(folder, "node_modules", name);
    mkdirSync(join(link, ".."), { recursive: true });
    symlinkSync(target, link);
  }
}

/** What the processes of the engine find in their environment: the platform, and what makes their start cheap. */
export function processEnvironment(platform: Pick<Platform, "baseUrl" | "apiKey">): NodeJS.ProcessEnv {
  return {
    DOCS_PLATFORM_BASE_URL: platform.baseUrl,
    DOCS_PLATFORM_API_KEY: platform.apiKey,
    ...fastStart(),
    // Node.js reads these at each start, and nothing here speaks to a server outside.
    NODE_EXTRA_CA_CERTS: undefined,
  };
}

/** Lets the clock of a process be ahead of this machine's, by milliseconds. */
export function laterClock(ahead: number, nodeOptions = ""): NodeJS.ProcessEnv {
  const preload = `--require ${JSON.stringify(join(__dirname, "laterClock.js"))}`;
  return { NODE_OPTIONS: `${nodeOptions} ${preload}`, CLOCK_AHEAD: String(ahead) };
}

/** A command that is written in Go ends before it is worth it to collect garbage often. */
export const rareCollections = { GOGC: "400" };

/** What makes the engine's processes cheap: the SDK's modules are compiled once, and only what is used is loaded (fastStart.js). */
export function fastStart(): NodeJS.ProcessEnv {
  const { mtimeMs } = statSync(join(modules, ".package-lock.json"));
  const TEST_COMPILE_CACHE = join(modules, ".cache", "compiled", `${process.version}-${Math.round(mtimeMs)}`);
  mkdirSync(TEST_COMPILE_CACHE, { recursive: true });
  const preload = `--require ${JSON.stringify(join(__dirname, "fastStart.js"))}`;
  return { TEST_COMPILE_CACHE, NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ""} ${preload}`, ...rareCollections };
}
