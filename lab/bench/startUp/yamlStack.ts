import { symlinkSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import type { Platform } from "../../../simulator/index";
import { projectRoot } from "../../../tools/projectRoot";
import { getTool } from "../../../tools/toolchain/getTool";
import { BenchStack } from "../engine/benchStack";

/**
 * Returns the seconds of an unchanged `up` of a YAML program with this many exports.
 * @param executable the plugin's executable; by default the plugin of the npm package, on the first Node.js on PATH.
 */
export async function unchangedUp(
  count: number,
  platform: Platform,
  executable: string | undefined,
  rounds: number,
): Promise<number[]> {
  const stack = await BenchStack.create("", {
    DOCS_PLATFORM_BASE_URL: platform.baseUrl,
    DOCS_PLATFORM_API_KEY: platform.apiKey,
  });
  try {
    symlinkSync(
      executable === undefined ? join(projectRoot, "plugin") : dirname(executable),
      join(stack.folder, "plugin"),
    );
    const site = (index: number) => ({
      type: "docs-platform:StaticExport",
      properties: { domain: `docs-${index}.example.com` },
    });
    const resources = Object.fromEntries(Array.from({ length: count }, (_, index) => [`site${index}`, site(index)]));
    const plugins = { providers: [{ name: "docs-platform", path: "./plugin" }] };
    stack.writeProject({ runtime: "yaml", plugins, resources });
    stack.environment.PATH = `${dirname(await getTool("pulumi-language-yaml"))}${delimiter}${stack.environment.PATH}`;
    await stack.up();
    const seconds: number[] = [];
    for (let round = 0; round < rounds; round++) {
      seconds.push((await stack.up()).seconds);
    }
    return seconds;
  } finally {
    stack.remove();
  }
}
