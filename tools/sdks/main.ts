import { rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { projectRoot } from "../projectRoot";
import type { SdkLanguage } from "./generate";
import { packageSdk } from "./packages";

const languages: readonly SdkLanguage[] = ["nodejs", "python", "go"];

/** `npm run sdks [-- <folder>]`: makes the SDKs of all languages as they are published, by default in dist/sdks. */
async function main(): Promise<void> {
  const [given = join(projectRoot, "dist", "sdks")] = process.argv.slice(2);
  const folder = resolve(given);
  for (const language of languages) {
    rmSync(join(folder, language), { recursive: true, force: true });
    console.log(await packageSdk(language, folder));
  }
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
});
