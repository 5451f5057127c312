import { readFileSync } from "node:fs";
import { join } from "node:path";
import { filesIn } from "../../tools/filesIn";
import { forms } from "./fixtures/forms";

/** Every signed link of the embedded platform contains this text. */
export const signatureMark = "X-Amz-Signature=";

/**
 * Finds secrets in clear, percent-encoded or in base64, in a folder's files (state, backups, history, journal) and in
 * outputs.
 * @returns the names of the files that contain a secret, and `output` for each output that contains one.
 */
export function leaks(folder: string, outputs: readonly string[], secrets: Iterable<string>): string[] {
  const wanted = [...secrets].flatMap(forms);
  const files = filesIn(folder)
    .map((name) => join(folder, name))
    .map((name) => ({ name, text: readFileSync(name, "latin1") }));
  const printed = outputs.map((text) => ({ name: "output", text }));
  return [...files, ...printed]
    .filter(({ text }) => wanted.some((form) => text.includes(form)))
    .map(({ name }) => name);
}
