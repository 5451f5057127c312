import { words } from "../support/words";
import { howToGive, type Setting } from "./settingTable";

export type Lookup = (name: string) => string | undefined;

/** Looks settings up among the values that a program gives, of which an object becomes JSON, and one that is not known none. */
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
  /** The stack's configuration, which Pulumi alone has. */
  config?: Lookup | undefined;
  /** The copy of an explicit provider's inputs in the state, where no program of this run gives them. */
  stateCopy?: Lookup | undefined;
}

/**
 * In order of precedence; the default comes last, and a blank text counts as not given. The environment goes before the
 * stack's configuration, since `refresh` and `destroy` get that of the last `up`: a rotated key must win.
 */
const precedence = ["argument", "stateCopy", "environment", "config"] as const satisfies readonly (keyof Sources)[];

export function oneByOne(sources: Sources): Sources[] {
  return precedence.map((source) => ({ [source]: sources[source] }));
}

export function readSetting<T>(setting: Setting<T>, sources: Sources): { value: T } | { problem: string } {
  const [source, text] = firstSource(setting, sources);
  const problem = (reason: string) => ({ problem: reason });
  if (!text) {
    return setting.optional
      ? { value: undefined as T }
      : problem(`the setting ${words.name(setting.name)} is missing: ${howToGive(setting)}`);
  }
  const value = setting.parse(text);
  if (typeof value === "object" && value !== null && "problem" in value) {
    return problem(
      `the setting ${words.name(setting.name)}, read from ${source}, ${value.problem}: ${howToGive(setting)}`,
    );
  }
  return { value };
}

/** Reads one setting, whatever the others are. @returns undefined also if this one is malformed. */
export function readAlone<T>(setting: Setting<T>, sources: Sources): T | undefined {
  const result = readSetting(setting, sources);
  return "problem" in result ? undefined : result.value;
}

export function settingProblem(setting: Setting<unknown>, text = ""): string | undefined {
  const parsed = text.trim() === "" ? undefined : setting.parse(text.trim());
  return typeof parsed === "object" && parsed !== null && "problem" in parsed ? String(parsed.problem) : undefined;
}

export function firstSource(
  { name, variable, fallback, opens }: Setting<unknown>,
  sources: Sources,
): [source: string, text: string] | [undefined, undefined] {
  const given = {
    argument: [`the provider's argument ${words.name(name)}`, sources.argument?.(name)],
    // Whoever may write the state must not name a program that runs here, or a file that is sent.
    stateCopy: [
      `the state's copy of the provider's argument ${words.name(name)}`,
      opens ? "" : sources.stateCopy?.(name),
    ],
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
