import { readFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "../projectRoot";
import { pluginNotes } from "./plugins/notes";

/** The section of the changelog on one version, without its heading. @throws where there is none. */
export function releaseNotes(changelog: string, version: string): string {
  const [, rest] = changelog.split(new RegExp(`^## ${version.replaceAll(".", "\\.")} - .*\\n`, "m"));
  if (rest === undefined) {
    throw new Error(`the changelog has no section on ${version}`);
  }
  return rest.split(/^## /m)[0]?.trim() ?? "";
}

/** `npm run release:notes`: what is published with a release. */
if (require.main === module) {
  const { version } = JSON.parse(readFileSync(join(projectRoot, "package.json"), "utf8"));
  console.log(`${releaseNotes(readFileSync(join(projectRoot, "CHANGELOG.md"), "utf8"), version)}\n\n${pluginNotes()}`);
}
