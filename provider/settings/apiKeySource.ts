import { words } from "../support/words";
import {
  apiKey,
  apiKeyCommand,
  apiKeyFile,
  howToGive,
  type Setting,
  signingKeyCommand,
  signingKeyFile,
} from "./settingTable";
import { firstSource, oneByOne, readSetting, type Sources } from "./sources";

export type RereadSource =
  | { readonly file: string; readonly from: string }
  | { readonly command: readonly string[]; readonly from: string };

export type ApiKeySource = string | RereadSource;

export const keySettings: readonly Setting<unknown>[] = [apiKey, apiKeyFile, apiKeyCommand];
export const signingKeySettings: readonly Setting<unknown>[] = [signingKeyFile, signingKeyCommand];

const apiKeyAdvice = () =>
  `${howToGive(apiKey)}; or set a file that contains it (${apiKeyFile.variable}) or a command that prints it (${apiKeyCommand.variable})`;

/**
 * Finds the first source that gives a key, and the settings by which it gives the key. If one of these settings is
 * unknown, the result is undefined.
 */
export function keyGiver(
  sources: Sources,
  ways = keySettings,
): { source: Sources; settings: readonly Setting<unknown>[] } | undefined {
  if (ways.some(({ name }) => sources.notKnown?.has(name))) {
    return undefined;
  }
  const isGiven = (setting: Setting<unknown>, source: Sources) => firstSource(setting, source)[0] !== undefined;
  return oneByOne(sources)
    .map((source) => ({ source, settings: ways.filter((setting) => isGiven(setting, source)) }))
    .find(({ settings }) => settings.length > 0);
}

export function lacksKey(sources: Sources): boolean {
  return keyGiver(sources) === undefined && !keySettings.some(({ name }) => sources.notKnown?.has(name));
}

export function missingKey({ stateCopy }: Sources): string {
  const known = keySettings.find(({ name, from }) => !from.includes("stateCopy") && stateCopy?.(name)?.trim());
  return known === undefined
    ? `the setting ${words.name("apiKey")} is missing: ${apiKeyAdvice()}`
    : `only the state gives the setting ${words.name(known.name)}, and whoever may write the state could name any program or file: set ${known.variable} in the environment, or add --run-program to the command`;
}

export function missingKeyWarning(): string {
  return `no admin API key is set. A ${words.preview} works without it, but the values that it would read from the platform stay unknown. \`${words.run}\` needs the key: ${apiKeyAdvice()}`;
}

/**
 * Determines where a key comes from. If a source gives the key by two settings, it is refused, because neither setting
 * has precedence.
 * @param name the key's name in messages.
 */
export function readKeySource(
  name: string,
  ways: readonly Setting<unknown>[],
  sources: Sources,
): { value: ApiKeySource | undefined } | { problem: string } {
  const { source = {}, settings: [way, other] = [] } = keyGiver(sources, ways) ?? {};
  if (way === undefined) {
    return { value: undefined };
  }
  const from = String(firstSource(way, source)[0]);
  if (other !== undefined) {
    return {
      problem: `the ${name} is set twice, by ${from} and by ${firstSource(other, source)[0]}: remove one of them`,
    };
  }
  const read = readSetting(way, source);
  return "problem" in read || typeof read.value === "string"
    ? (read as { value: string } | { problem: string })
    : { value: { ...(read.value as { file: string } | { command: readonly string[] }), from } };
}
