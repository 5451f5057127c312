import { words } from "../support/words";
import { howToGive, type Setting, type SettingSource, settingSources } from "./settingTable";

export type Lookup = (name: string) => string | undefined;

/**
 * Returns a function that looks up settings among a program's values. It converts an object to JSON, and ignores an
 * unknown value.
 */
export function lookUpIn(values: Readonly<Record<string, unknown>>): Lookup {
  return (name) => {
    const value = values[name] ?? undefined;
    return value === undefined || typeof value === "symbol"
      ? undefined
      : typeof value === "object"
        ? JSON.stringify(value)
        : String(value);
  };
}

export interface Sources {
  /** The inputs of an explicit provider, or of Terraform's provider block. */
  argument?: Lookup | undefined;
  environment?: NodeJS.ProcessEnv | undefined;
  /** The stack's configuration, which only Pulumi has. */
  config?: Lookup | undefined;
  /**
   * The inputs of an explicit provider that the state contains. They are used if no program gives the inputs in this
   * run.
   */
  stateCopy?: Lookup | undefined;
  /** The names of settings whose values are unknown in a plan. No source gives them a value. */
  notKnown?: ReadonlySet<string>;
}

/** Returns one object for each source, which contains only this source. They are in order of precedence. */
export function oneByOne(sources: Sources): Sources[] {
  return settingSources.map((source) => ({ [source]: sources[source], notKnown: sources.notKnown }) as Sources);
}

export const theDefault = "the default";

export function readSetting<T>(setting: Setting<T>, sources: Sources): { value: T } | { problem: string } {
  const [source, text] = firstSource(setting, sources);
  const problem = (reason: string) => ({ problem: reason });
  if (!text) {
    return setting.optional
      ? { value: undefined as T }
      : problem(`the setting ${words.name(setting.name)} is missing: ${howToGive(setting)}`);
  }
  const value = setting.parse(text);
  if (isProblem(value)) {
    return problem(
      `the setting ${words.name(setting.name)}, read from ${source}, ${value.problem}: ${howToGive(setting)}`,
    );
  }
  return { value };
}

function isProblem(parsed: unknown): parsed is { problem: string } {
  return typeof parsed === "object" && parsed !== null && "problem" in parsed;
}

/**
 * Returns the reason why a text cannot be a setting; undefined if it can. The reason is a part of a longer sentence. A
 * blank text counts as not given.
 */
export function settingProblem(setting: Setting<unknown>, text = ""): string | undefined {
  const parsed = text.trim() === "" ? undefined : setting.parse(text.trim());
  return isProblem(parsed) ? parsed.problem : undefined;
}

/** Returns the name of the first source that gives a setting, and the setting's text. */
export function firstSource(
  { name, variable, fallback, from }: Setting<unknown>,
  sources: Sources,
): [source: string, text: string] | [undefined, undefined] {
  const given: Record<SettingSource, [source: string, text: string | undefined]> = {
    argument: [`the provider's argument ${words.name(name)}`, sources.argument?.(name)],
    stateCopy: [`the state's copy of the provider's argument ${words.name(name)}`, sources.stateCopy?.(name)],
    environment: [variable, sources.environment?.[variable]],
    config: [`docs-platform:${name}`, sources.config?.(name)],
  };
  for (const each of sources.notKnown?.has(name) ? [] : from) {
    const [source, text] = given[each];
    if (text?.trim()) {
      return [source, text.trim()];
    }
  }
  return fallback === undefined ? [undefined, undefined] : [theDefault, fallback];
}
