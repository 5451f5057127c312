import { rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { executablesOnPath } from "../processes/executables";
import { projectRoot } from "../projectRoot";
import { printProgressLine, withProgress } from "../toolchain/progress";
import type { SdkLanguage } from "./generateSdk";
import { packageSdk } from "./packageSdk";

/** For each language: its usual name, and the tool that this machine must have to make the language's SDK. */
const languages: Readonly<Record<SdkLanguage, readonly [name: string, tool: string]>> = {
  nodejs: ["Node.js", "npm"],
  python: ["Python", "python3"],
  go: ["Go", "go"],
  java: ["Java", "mvn"],
};

/** `npm run sdks [-- <folder>]`: makes the SDKs for publication. Leaves out languages whose tool is not on PATH. */
async function main(): Promise<void> {
  const [given = join(projectRoot, "dist", "sdks")] = process.argv.slice(2);
  const folder = resolve(given);
  for (const [language, [name, tool]] of Object.entries(languages) as [SdkLanguage, readonly [string, string]][]) {
    if (executablesOnPath(tool).length === 0) {
      printProgressLine(`no SDK for ${name}: there is no ${tool} on PATH`);
      continue;
    }
    rmSync(join(folder, language), { recursive: true, force: true });
    console.log(await withProgress(`making the SDK for ${name}`, () => packageSdk(language, folder)));
  }
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
});
