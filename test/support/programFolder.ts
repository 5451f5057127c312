import { mkdirSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import type { Platform } from "../../simulator/index";
import { projectRoot } from "../../tools/projectRoot";

const modules = join(projectRoot, "node_modules");

/** The packages of a program: each path below `node_modules`, with the target of its link. */
export const linkedPackages = {
  // The language host reads every folder below `node_modules` in each run. With a link to the whole project, this would
  // take too long. So these links lead only to the parts that a program needs.
  "pulumi-docs-platform/package.json": join(projectRoot, "package.json"),
  "pulumi-docs-platform/dist": join(projectRoot, "dist"),
  "@pulumi/pulumi": join(modules, "@pulumi", "pulumi"),
};

/** Writes links to packages into a program's `node_modules`. */
export function linkPackages(folder: string, packages: Readonly<Record<string, string>> = linkedPackages): void {
  for (const [name, target] of Object.entries(packages)) {
    const link = join(folder, "node_modules", name);
    mkdirSync(join(link, ".."), { recursive: true });
    symlinkSync(target, link);
  }
}

/**
 * Returns the environment of the engine's processes: the address and key of the platform, and settings for a faster
 * start.
 */
export function processEnvironment(platform: Pick<Platform, "baseUrl" | "apiKey">): NodeJS.ProcessEnv {
  return {
    DOCS_PLATFORM_BASE_URL: platform.baseUrl,
    DOCS_PLATFORM_API_KEY: platform.apiKey,
    ...fastStart(),
    // Node.js would read the certificates in NODE_EXTRA_CA_CERTS at each start. No test needs them, so the variable is
    // removed.
    NODE_EXTRA_CA_CERTS: undefined,
  };
}

/** Makes the clock of a process run ahead of this machine's clock, by this number of milliseconds. */
export function laterClock(ahead: number, nodeOptions = ""): NodeJS.ProcessEnv {
  const preload = `--require ${JSON.stringify(join(projectRoot, "dist", "simulator", "stack", "sharedClock.js"))}`;
  return { NODE_OPTIONS: `${nodeOptions} ${preload}`, DOCS_PLATFORM_TEST_CLOCK_AHEAD: String(ahead) };
}

/**
 * Makes garbage collections rare in commands that are written in Go. These commands run for a short time only, so they
 * do not need the memory that a collection frees.
 */
export const rareCollections = { GOGC: "400" };

/**
 * Makes the engine's Node.js processes start faster: they cache compiled code, and load a module only when it is used
 * (fastStart.js).
 */
export function fastStart(): NodeJS.ProcessEnv {
  const { mtimeMs } = statSync(join(modules, ".package-lock.json"));
  const TEST_COMPILE_CACHE = join(modules, ".cache", "compiled", `${process.version}-${Math.round(mtimeMs)}`);
  mkdirSync(TEST_COMPILE_CACHE, { recursive: true });
  const preload = `--require ${JSON.stringify(join(__dirname, "fastStart.js"))}`;
  return { TEST_COMPILE_CACHE, NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ""} ${preload}`, ...rareCollections };
}
