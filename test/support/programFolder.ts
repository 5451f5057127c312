import { mkdirSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import type { Platform } from "../../simulator/index";
import { projectRoot } from "../../tools/projectRoot";

const modules = join(projectRoot, "node_modules");

/** The packages of a program: each link's target, by its path below node_modules. */
export const linkedPackages = {
  // Links single packages and not the whole project, because the language host reads every folder below node_modules in
  // each run.
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

/** The environment of the engine's processes: the platform, and the settings that speed up their start. */
export function processEnvironment(platform: Pick<Platform, "baseUrl" | "apiKey">): NodeJS.ProcessEnv {
  return {
    DOCS_PLATFORM_BASE_URL: platform.baseUrl,
    DOCS_PLATFORM_API_KEY: platform.apiKey,
    ...fastStart(),
    // Node.js reads these certificates at each start, and no test speaks to an outside server.
    NODE_EXTRA_CA_CERTS: undefined,
  };
}

/** Sets the clock of a process ahead of this machine's, by milliseconds. */
export function laterClock(ahead: number, nodeOptions = ""): NodeJS.ProcessEnv {
  const preload = `--require ${JSON.stringify(join(projectRoot, "dist", "simulator", "stack", "sharedClock.js"))}`;
  return { NODE_OPTIONS: `${nodeOptions} ${preload}`, DOCS_PLATFORM_TEST_CLOCK_AHEAD: String(ahead) };
}

/** Makes garbage collections rare: a command in Go ends before they are worth their cost. */
export const rareCollections = { GOGC: "400" };

/**
 * Speeds up the engine's processes: the SDK's modules are compiled once, and only the used ones are loaded
 * (fastStart.js).
 */
export function fastStart(): NodeJS.ProcessEnv {
  const { mtimeMs } = statSync(join(modules, ".package-lock.json"));
  const TEST_COMPILE_CACHE = join(modules, ".cache", "compiled", `${process.version}-${Math.round(mtimeMs)}`);
  mkdirSync(TEST_COMPILE_CACHE, { recursive: true });
  const preload = `--require ${JSON.stringify(join(__dirname, "fastStart.js"))}`;
  return { TEST_COMPILE_CACHE, NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ""} ${preload}`, ...rareCollections };
}
