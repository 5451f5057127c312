import { words } from "../support/words";
import { howToGive, type Setting } from "./settingTable";

/** Tells the text of a setting by its name, such as `apiKey`. */
export type Lookup = (name: string) => string | undefined;

/** Where settings are given. `precedence` tells which source counts first. */
export interface Sources {
  /** The inputs of an explicit provider, or of Terraform's provider block. */
  argument?: Lookup | undefined;
  environment?: NodeJS.ProcessEnv | undefined;
  /** The stack's configuration, which Pulumi alone has. */
  config?: Lookup | undefined;
}

/**
 * The first source that gives a setting counts; the default comes last. A blank text counts as not given. The environment comes
 * before the stack's configuration, since `refresh` and `destroy` get the configuration of the last `up`: a key that was
 * rotated since then must win.
 */
const precedence = ["argument", "environment", "config"] as const satisfies readonly (keyof Sources)[];

/** The sources one by one, by their precedence. */
export function oneByOne(sources: Sources): Sources[] {
  return precedence.map((source) => ({ [source]: sources[source] }));
}

/** A setting that is missing or malformed. */
export interface Problem {
  setting: string;
  /** The problem, with the ways to give the setting; never shows a key. */
  reason: string;
}

/** Reads one setting. */
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

/** Reads one setting where others may be missing or malformed. @returns undefined also where this one is malformed. */
export function readAlone<T>(setting: Setting<T>, sources: Sources): T | undefined {
  const result = readSetting(setting, sources);
  return "problem" in result ? undefined : result.value;
}

/** The problem with the text of a setting. A blank text counts as not given. */
export function settingProblem(setting: Setting<unknown>, text: string): string | undefined {
  const parsed = text.trim() === "" ? undefined : setting.parse(text.trim());
  return typeof parsed === "object" && parsed !== null && "problem" in parsed ? String(parsed.problem) : undefined;
}

/** The first source that gives a setting, as errors name it, and the text that it gives. */
export function firstSource(
  { name, variable, fallback }: Setting<unknown>,
  sources: Sources,
): [source: string, text: string] | [undefined, undefined] {
  const given = {
    argument: [`the provider's argument ${words.name(name)}`, sources.argument?.(name)],
    environment: [variable, sources.environment?.[variable]],
    config: [`docs-platform:${name}`, sources.config?.(name)],
  } as const;
  for (const source of precedence) {
    const [from, text] = given[source];
    if (text?.trim()) {
      return [from, text.trim()];
    }
  }
  return fallback === undefined ? [undefined, undefined] : ["the default", fallback];
}
