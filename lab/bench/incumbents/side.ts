import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Platform } from "../../../simulator/index";
import { projectRoot } from "../../../tools/projectRoot";
import { BenchStack } from "../engine/benchStack";

/** One way to export a site. It can run many times. */
export interface Incumbent {
  /** Resolves when the link is there. */
  run(): Promise<void>;
  /** The size of its resources in the state, as bytes of compact JSON; undefined if it keeps no state. */
  stateBytes(): Promise<number | undefined>;
  /** True if the key can be read in the files that the side keeps. */
  keepsKeyInClear(): boolean;
  remove(): Promise<void>;
}

function environmentOf(platform: Platform, domain: string): NodeJS.ProcessEnv {
  return {
    DOCS_PLATFORM_BASE_URL: platform.baseUrl,
    DOCS_PLATFORM_API_KEY: platform.apiKey,
    BENCH_DOMAIN: domain,
  };
}

/** The curl template of a CI pipeline. */
export function curlTemplate(platform: Platform, domain: string): Incumbent {
  const script = join(projectRoot, "lab", "bench", "incumbents", "template.sh");
  return {
    async run() {
      const environment = { ...process.env, ...environmentOf(platform, domain) };
      const child = spawn("bash", [script], { env: environment, stdio: "ignore" });
      const [code] = await once(child, "close");
      if (code !== 0) {
        throw new Error(`the curl template ended with ${code}`);
      }
    },
    stateBytes: async () => undefined,
    keepsKeyInClear: () => false,
    remove: async () => {},
  };
}

/** A Pulumi program of this folder. */
export async function program(name: "handWritten" | "ours", platform: Platform, domain: string): Promise<Incumbent> {
  const stack = await BenchStack.create(`lab/bench/incumbents/${name}`, environmentOf(platform, domain));
  return {
    run: async () => void (await stack.up()),
    stateBytes: async () => (await stack.stateBytes("dynamic")).total,
    keepsKeyInClear: () => readFileSync(stack.stateFile, "utf8").includes(platform.apiKey),
    async remove() {
      await stack.destroy();
      stack.remove();
    },
  };
}
