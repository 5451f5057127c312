import { words } from "../support/words";
import { howToSet, type Setting, type SettingSource } from "./settingTable";

export type SettingLookup = (name: string) => string | undefined;

/** Looks up settings among a program's values. An object becomes JSON. An unknown value counts as missing. */
export function createSettingLookup(values: Readonly<Record<string, unknown>>): SettingLookup {
  return (name) => {
    const value = values[name] ?? undefined;
    return value === undefined || typeof value === "symbol"
      ? undefined
      : typeof value === "object"
        ? JSON.stringify(value)
        : String(value);
  };
}

export interface SettingSources {
  /** The inputs of an explicit provider, or of Terraform's provider block. */
  argument?: SettingLookup | undefined;
  environment?: NodeJS.ProcessEnv | undefined;
  /** The stack's configuration, only on Pulumi. */
  config?: SettingLookup | undefined;
  /** The provider's inputs in the state, for a run without the program, such as a `destroy`. */
  stateCopy?: SettingLookup | undefined;
  /** The settings whose values are unknown in a plan. No source is read for these settings. */
  notKnown?: ReadonlySet<string>;
}

export const defaultSourceName = "the default";

export function readSetting<T>(setting: Setting<T>, sources: SettingSources): T | { problem: string } {
  const [source, text] = findEffectiveSettingSource(setting, sources);
  if (text !== undefined) {
    return parseSetting(setting, source, text);
  }
  return setting.optional
    ? (undefined as T)
    : { problem: `the setting ${words.name(setting.name)} is missing: ${howToSet(setting)}` };
}

export function parseSetting<T>(setting: Setting<T>, source: string, text: string): T | { problem: string } {
  const value = setting.parse(text);
  return isParseProblem(value)
    ? {
        problem: `the setting ${words.name(setting.name)}, read from ${source}, ${value.problem}: ${howToSet(setting)}`,
      }
    : value;
}

export function isParseProblem(parsed: unknown): parsed is { problem: string } {
  return typeof parsed === "object" && parsed !== null && "problem" in parsed;
}

/** Returns the reason why a text is invalid. The reason begins with a verb ("must be …"). A blank text is valid. */
export function settingTextProblem(setting: Setting<unknown>, text = ""): string | undefined {
  const parsed = text.trim() === "" ? undefined : setting.parse(text.trim());
  return isParseProblem(parsed) ? parsed.problem : undefined;
}

export function findEffectiveSettingSource(
  setting: Setting<unknown>,
  sources: SettingSources,
): [source: string, text: string] | [undefined, undefined] {
  const [first] = settingSourceValues(setting, sources);
  if (first !== undefined) {
    return [first.name, first.text];
  }
  return setting.fallback === undefined ? [undefined, undefined] : [defaultSourceName, setting.fallback];
}

/** Returns the sources in order of precedence, without the default. */
export function settingSourceValues({ name: setting, variable, from }: Setting<unknown>, sources: SettingSources) {
  const given: Record<SettingSource, [name: string, text: string | undefined]> = {
    argument: [`the provider's argument ${words.name(setting)}`, sources.argument?.(setting)],
    stateCopy: [`the state's copy of the provider's argument ${words.name(setting)}`, sources.stateCopy?.(setting)],
    environment: [variable, sources.environment?.[variable]],
    config: [`docs-platform:${setting}`, sources.config?.(setting)],
  };
  return (sources.notKnown?.has(setting) ? [] : from)
    .map((source) => ({ source, name: given[source][0], text: given[source][1]?.trim() ?? "" }))
    .filter(({ text }) => text !== "");
}
