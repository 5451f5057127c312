import { notStarted } from "../../provider/settings/settingTable";
import { words } from "../../provider/support/words";

const codes = /\bDOCS_(?!PLATFORM_)[A-Z_]+(?=:)/;

/** The code of an error's text; undefined for a warning. */
export function codeOf(text: string): string | undefined {
  return codes.exec(text)?.[0];
}

/** The codes of all errors in a text, each once. */
export function codesIn(text: string): string[] {
  return [...new Set(text.match(new RegExp(codes, "g")) ?? [])].sort();
}

export function hasCode(code: string, texts: readonly string[]): boolean {
  return texts.some((text) => codeOf(text) === code);
}

/** Returns true if an error advises to replace the resource. */
export function advisesReplacement(text: string): boolean {
  return text.includes(words.replace);
}

/** Returns true for the error that a replacement has taken up the job that it was to replace. */
export function isContradiction(text: string): boolean {
  return codeOf(text) === "DOCS_JOURNAL" && advisesReplacement(text);
}

/** The codes of lost starts that an error gives for the setting that dismisses them. */
export function dismissible(text: string): string[] {
  const [, codes = ""] = new RegExp(`${notStarted.variable}=([0-9a-f,]+)`).exec(text) ?? [];
  return codes.split(",").filter((code) => code !== "");
}
