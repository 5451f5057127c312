import { join } from "node:path";
import { generateSdk } from "./generateSdk";

/** Writes the SDKs of all languages into the folder that is given, one folder each. */
async function main(): Promise<void> {
  const [folder] = process.argv.slice(2);
  if (folder === undefined) {
    throw new Error("give the folder that gets the SDKs");
  }
  for (const language of ["nodejs", "python", "go"] as const) {
    await generateSdk(language, join(folder, language));
    console.log(join(folder, language));
  }
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
});
