import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type EndedProcess, startProcess } from "../../tools/processes/startProcess";
import { temporaryFolder } from "../support/temporaryFolder";
import { readDocument } from "./documents";

/** The texts that a reader must replace, each with its replacement. */
export type Replacements = Readonly<Record<string, string>>;

/** The script prints a line before each block. */
export function pageScript(page: string, replacements: Replacements = {}): string {
  const blocks = readDocument(page).blocks.filter(({ language }) => language === "sh");
  const script = blocks.map(({ text }, index) => `echo "== ${page}, shell block ${index + 1}"\n${text}`).join("\n");
  for (const written of Object.keys(replacements)) {
    if (!script.includes(written)) {
      throw new Error(`${page} has no "${written}" any more`);
    }
  }
  return Object.entries(replacements).reduce((text, [from, to]) => text.replaceAll(from, () => to), script);
}

/** Answers every question of Pulumi with yes. The shell ends at the first command that fails. */
export function runScript(
  shell: string,
  script: string,
  cwd: string,
  environment: NodeJS.ProcessEnv,
): Promise<EndedProcess> {
  const file = join(temporaryFolder(), "page.sh");
  writeFileSync(file, `set -euo pipefail\n${script}\n`);
  return startProcess(shell, [file], { cwd, env: { ...environment, PULUMI_SKIP_CONFIRMATIONS: "true" } }).ended;
}

/** Returns the code parts in sentences with "You should now see". */
export function promisedOutputs(markdown: string): string[] {
  const sentences = [...markdown.matchAll(/You should now see(.*?)[.:](?=\s|$)/gs)];
  return sentences.flatMap(([, sentence = ""]) => [...sentence.matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code));
}
