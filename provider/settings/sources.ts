import { words } from "../support/words";
import { howToGive, type Setting } from "./settingTable";

/** Reads a setting from the stack's configuration, by its full name such as `docs-platform:apiKey`. */
export type StackConfig = (key: string) => string | undefined;

/** A setting that is missing or malformed. */
export interface Problem {
  /** Its name. */
  setting: string;
  /** What is wrong, with both ways to give it; never shows a key. */
  reason: string;
}

/** Where settings are given, from the last to the first that counts. */
export interface Sources {
  config?: StackConfig | undefined;
  environment?: NodeJS.ProcessEnv | undefined;
  /** What the program gave to a provider of its own; by full names, too. */
  argument?: StackConfig | undefined;
}

/** Reads one setting by the order of its sources. */
export function readSetting<T>(
  setting: Setting<T>,
  sources: Sources,
): { value: T; source: string | undefined } | { problem: Problem } {
  const [source, text] = firstSource(setting, sources);
  const problem = (reason: string) => ({ problem: { setting: setting.name, reason } });
  if (!text) {
    return setting.optional
      ? { value: undefined as T, source }
      : problem(`the setting ${words.name(setting.name)} is missing: ${howToGive(setting)}`);
  }
  const value = setting.parse(text);
  if (typeof value === "object" && value !== null && "problem" in value) {
    return problem(
      `the setting ${words.name(setting.name)}, read from ${source}, ${value.problem}: ${howToGive(setting)}`,
    );
  }
  return { value, source };
}

/** What is wrong with the text of a setting; a blank one counts as not given. */
export function settingProblem(setting: Setting<unknown>, text: string): string | undefined {
  const parsed = text.trim() === "" ? undefined : setting.parse(text.trim());
  return typeof parsed === "object" && parsed !== null && "problem" in parsed ? String(parsed.problem) : undefined;
}

/** The first source that gives a setting, and its value. */
export function firstSource(
  { name, variable, fallback }: Setting<unknown>,
  { config, environment, argument }: Sources,
): [source: string, text: string] | [undefined, undefined] {
  const key = `docs-platform:${name}`;
  const sources: [string, string | undefined][] = [
    [`the provider's argument ${words.name(name)}`, argument?.(key)?.trim()],
    [variable, environment?.[variable]?.trim()],
    [key, config?.(key)?.trim()],
    ["the default", fallback],
  ];
  return (sources.find(([, text]) => text) as [string, string] | undefined) ?? [undefined, undefined];
}
