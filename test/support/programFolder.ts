import { mkdirSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import type { Platform } from "../../simulator/index";
import { projectRoot } from "../../tools/projectRoot";

const modules = join(projectRoot, "node_modules");

/** Each path below `node_modules`, with the target of its link. */
export const linkedPackages = {
  // The language host reads every folder below `node_modules` in each run. A link to the whole project would be slow.
  "pulumi-docs-platform/package.json": join(projectRoot, "package.json"),
  "pulumi-docs-platform/dist": join(projectRoot, "dist"),
  "@pulumi/pulumi": join(modules, "@pulumi", "pulumi"),
};

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
    // Node.js would read these certificates at each start. No test needs them.
    NODE_EXTRA_CA_CERTS: undefined,
  };
}

/** Sets a process's clock this many milliseconds ahead of the machine's clock. */
export function laterClock(ahead: number, nodeOptions = ""): NodeJS.ProcessEnv {
  const preload = `--require ${JSON.stringify(join(projectRoot, "dist", "simulator", "stack", "sharedClock.js"))}`;
  return { NODE_OPTIONS: `${nodeOptions} ${preload}`, DOCS_PLATFORM_TEST_CLOCK_AHEAD: String(ahead) };
}

/** Makes garbage collections rare in Go programs, because these programs run only for a short time. */
export const rareCollections = { GOGC: "400" };

/** Makes the engine's Node.js processes start faster (fastStart.js). */
export function fastStart(): NodeJS.ProcessEnv {
  const { mtimeMs } = statSync(join(modules, ".package-lock.json"));
  const TEST_COMPILE_CACHE = join(modules, ".cache", "compiled", `${process.version}-${Math.round(mtimeMs)}`);
  mkdirSync(TEST_COMPILE_CACHE, { recursive: true });
  const preload = `--require ${JSON.stringify(join(__dirname, "fastStart.js"))}`;
  return { TEST_COMPILE_CACHE, NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ""} ${preload}`, ...rareCollections };
}
