import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { forms } from "./fixtures/forms";

/** What every signed link of the embedded platform holds. */
export const signatureMark = "X-Amz-Signature=";

/**
 * Where one of the secrets lies, in clear, percent-encoded or in base64: the files below a folder by their names (state,
 * backups, history, journal), and what commands have printed as `output`.
 */
export function leaks(folder: string, outputs: readonly string[], secrets: Iterable<string>): string[] {
  const wanted = [...secrets].flatMap(forms);
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((name) => ({ name, text: readFileSync(name, "latin1") }));
  const printed = outputs.map((text) => ({ name: "output", text }));
  return [...files, ...printed]
    .filter(({ text }) => wanted.some((form) => text.includes(form)))
    .map(({ name }) => name);
}
