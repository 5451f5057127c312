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

const apiKeyAdvice = () =>
  `${howToGive(apiKey)}; or set a file that contains it (${apiKeyFile.variable}) or a command that prints it (${apiKeyCommand.variable})`;

export function keyGiver(
  sources: Sources,
  ways = keySettings,
): { source: Sources; settings: readonly Setting<unknown>[] } | undefined {
  const isGiven = (setting: Setting<unknown>, source: Sources) => firstSource(setting, source)[0] !== undefined;
  return oneByOne(sources)
    .map((source) => ({ source, settings: ways.filter((setting) => isGiven(setting, source)) }))
    .find(({ settings }) => settings.length > 0);
}

export function lacksKey(sources: Sources): boolean {
  return keyGiver(sources) === undefined;
}

export function missingKey({ stateCopy }: Sources): string {
  const known = keySettings.find(({ name, opens }) => opens && stateCopy?.(name)?.trim());
  return known === undefined
    ? `the setting ${words.name("apiKey")} is missing: ${apiKeyAdvice()}`
    : `only the state gives the setting ${words.name(known.name)}, and whoever may write the state could name any program or file: set ${known.variable} in the environment, or add --run-program to the command`;
}

export function missingKeyWarning(): string {
  return `no admin API key is set. A ${words.preview} works without it, but the values that it would read from the platform stay unknown. \`${words.run}\` needs the key: ${apiKeyAdvice()}`;
}

export function readApiKeySource(sources: Sources): { value: ApiKeySource | undefined } | { problem: string } {
  const giver = keyGiver(sources);
  const reread = readKeySource("API key", giver, (source) => ({
    file: readSetting(apiKeyFile, source),
    command: readSetting(apiKeyCommand, source),
  }));
  return "problem" in reread || reread.value !== undefined || giver === undefined
    ? reread
    : readSetting(apiKey, giver.source);
}

export function readSigningKeySource(sources: Sources): { value: RereadSource | undefined } | { problem: string } {
  return readKeySource("signing key", keyGiver(sources, [signingKeyFile, signingKeyCommand]), (source) => ({
    file: readSetting(signingKeyFile, source),
    command: readSetting(signingKeyCommand, source),
  }));
}

type Read<T> = { value: T | undefined } | { problem: string };

/** A source that gives a key in two ways is refused, since neither counts first. */
function readKeySource(
  name: string,
  giver: ReturnType<typeof keyGiver>,
  readWays: (source: Sources) => { file: Read<string>; command: Read<readonly string[]> },
): Read<RereadSource> {
  if (giver === undefined) {
    return { value: undefined };
  }
  const { source, settings } = giver;
  const [first, second] = settings.map((setting) => firstSource(setting, source)[0]);
  if (second !== undefined) {
    return { problem: `the ${name} is set twice, by ${first} and by ${second}: remove one of them` };
  }
  const from = String(first);
  const { file, command } = readWays(source);
  if ("problem" in file || "problem" in command) {
    return "problem" in file ? file : (command as { problem: string });
  }
  return {
    value: file.value === undefined ? command.value && { command: command.value, from } : { file: file.value, from },
  };
}
