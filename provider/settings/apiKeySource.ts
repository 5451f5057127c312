import { words } from "../support/words";
import {
  apiKey,
  apiKeyCommand,
  apiKeyFile,
  howToSet,
  type Setting,
  settingSourcesByPrecedence,
  signingKeyCommand,
  signingKeyFile,
} from "./settingTable";
import { parseSetting, type SettingSources, settingSourceValues } from "./sources";

export type KeyFromFileOrCommand =
  | { readonly file: string; readonly from: string }
  | { readonly command: readonly string[]; readonly from: string };

export type ApiKeySource = string | KeyFromFileOrCommand;

export const apiKeySettings: readonly Setting<unknown>[] = [apiKey, apiKeyFile, apiKeyCommand];
export const signingKeySettings: readonly Setting<unknown>[] = [signingKeyFile, signingKeyCommand];

const apiKeyAdvice = () =>
  `${howToSet(apiKey)}; or set a file that contains it (${apiKeyFile.variable}) or a command that prints it (${apiKeyCommand.variable})`;

/**
 * Returns the key settings of the first source that gives a key. If a key setting is unknown, the list is empty. If the
 * source gives two key settings, the user has made an error, because neither has precedence.
 */
export function findGivenKeySettings(sources: SettingSources, ways = apiKeySettings) {
  const all = ways.flatMap((setting) => settingSourceValues(setting, sources).map((given) => ({ setting, ...given })));
  const first = settingSourcesByPrecedence.find((source) => all.some((given) => given.source === source));
  return isKnown(sources, ways) ? all.filter(({ source }) => source === first) : [];
}

export function lacksApiKey(sources: SettingSources): boolean {
  return isKnown(sources, apiKeySettings) && findGivenKeySettings(sources).length === 0;
}

function isKnown({ notKnown }: SettingSources, ways: readonly Setting<unknown>[]): boolean {
  return !ways.some(({ name }) => notKnown?.has(name));
}

export function explainMissingApiKey({ stateCopy }: SettingSources): string {
  const known = apiKeySettings.find(({ name, from }) => !from.includes("stateCopy") && stateCopy?.(name)?.trim());
  return known === undefined
    ? `the setting ${words.name("apiKey")} is missing: ${apiKeyAdvice()}`
    : `only the state gives the setting ${words.name(known.name)}, and whoever may write the state could name any program or file: set ${known.variable} in the environment, or add --run-program to the command`;
}

export function missingKeyWarning(): string {
  return `no admin API key is set. A ${words.preview} works without it, but the values that it would read from the platform stay unknown. \`${words.run}\` needs the key: ${apiKeyAdvice()}`;
}

export function chooseKeySource(name: string, ways: readonly Setting<unknown>[], sources: SettingSources) {
  const [given, other] = findGivenKeySettings(sources, ways);
  if (given === undefined) {
    return undefined;
  }
  if (other !== undefined) {
    return { problem: `the ${name} is set twice, by ${given.name} and by ${other.name}: remove one of them` };
  }
  const setting = given.setting as Setting<string | { file: string } | { command: string[] }>;
  const value = parseSetting(setting, given.name, given.text);
  return typeof value === "string" || "problem" in value ? value : { ...value, from: given.name };
}
