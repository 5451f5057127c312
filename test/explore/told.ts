import { notStarted } from "../../provider/settings/settingTable";

/** The codes of all errors in a text, each once. */
export function codesIn(text: string): string[] {
  return [...new Set(text.match(/\bDOCS_(?!PLATFORM_)[A-Z_]+(?=:)/g) ?? [])].sort();
}

/** The codes of lost starts that an error gives for the setting that dismisses them. */
export function dismissible(text: string): string[] {
  const [, codes = ""] = new RegExp(`${notStarted.variable}=([0-9a-f,]+)`).exec(text) ?? [];
  return codes.split(",").filter((code) => code !== "");
}
