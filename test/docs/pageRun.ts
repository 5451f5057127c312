import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Ended, startProcess } from "../../tools/processes/startProcess";
import { temporaryFolder } from "../support/temporaryFolder";
import { readDocument } from "./documents";

/** A step that a reader does by hand: a text of the page, and its replacement. */
export type Replacements = Readonly<Record<string, string>>;

/**
 * Runs every shell block of a page, from top to bottom, in one shell that ends at the first failing command.
 * @param replacements each must occur in the page.
 * @returns the exit code, and the output, in which a line names each block before it runs.
 */
export async function runPage(
  path: string,
  cwd: string,
  environment: NodeJS.ProcessEnv,
  replacements: Replacements,
): Promise<Ended> {
  const blocks = readDocument(path).blocks.filter(({ language }) => language === "sh");
  const script = blocks.map(({ text }, index) => `echo "== ${path}, shell block ${index + 1}"\n${text}`).join("\n");
  for (const written of Object.keys(replacements)) {
    if (!script.includes(written)) {
      throw new Error(`${path} has no "${written}" any more`);
    }
  }
  const folder = temporaryFolder();
  const file = join(folder, "page.sh");
  const replaced = Object.entries(replacements).reduce((text, [from, to]) => text.replaceAll(from, () => to), script);
  // A process that a page starts in the background ends with its shell.
  writeFileSync(file, `set -euo pipefail\ntrap 'kill $(jobs -p) 2>/dev/null || true' EXIT\n${replaced}\n`);
  return startProcess("bash", [file], { cwd, env: environment }).ended;
}
