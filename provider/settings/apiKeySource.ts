import { words } from "../support/words";
import { apiKey, apiKeyCommand, apiKeyFile, howToGive, type Setting } from "./settingTable";
import { firstSource, oneByOne, type Problem, readSetting, type Sources } from "./sources";

/** The admin API key, or where it is read at the first request. Errors name the source as `from` does. */
export type ApiKeySource =
  | string
  | { readonly file: string; readonly from: string }
  | { readonly command: readonly string[]; readonly from: string };

/** The settings that give the key. A source gives one of them. */
export const keySettings: readonly Setting<unknown>[] = [apiKey, apiKeyFile, apiKeyCommand];

const apiKeyAdvice = () =>
  `${howToGive(apiKey)}; or set a file that contains it (${apiKeyFile.variable}) or a command that prints it (${apiKeyCommand.variable})`;

/** True where no source gives a key. */
export function lacksKey(sources: Sources): boolean {
  return keySettings.every((setting) => firstSource(setting, sources)[0] === undefined);
}

/** The error of an operation that sends, where no source gives a key. */
export function missingKey(): string {
  return `the setting ${words.name("apiKey")} is missing: ${apiKeyAdvice()}`;
}

/** The warning of a preview, where no source gives a key. */
export function missingKeyWarning(): string {
  return `no admin API key is set. A ${words.preview} works without it, but the values that it would read from the platform stay unknown. \`${words.run}\` needs the key: ${apiKeyAdvice()}`;
}

/**
 * The key of the first source that gives one. A source that gives two is refused, since neither counts first.
 * @returns no value where no source gives a key.
 */
export function readApiKeySource(sources: Sources): { value: ApiKeySource | undefined } | { problem: Problem } {
  for (const source of oneByOne(sources)) {
    const [first, second] = keySettings.flatMap((setting) => firstSource(setting, source)[0] ?? []);
    if (second !== undefined) {
      const reason = `the API key is set twice, by ${first} and by ${second}: remove one of them`;
      return { problem: { setting: apiKey.name, reason } };
    }
    if (first !== undefined) {
      return readOnly(source);
    }
  }
  return { value: undefined };
}

/** The key of a source that gives it in one way. */
function readOnly(source: Sources): { value: ApiKeySource } | { problem: Problem } {
  const file = readSetting(apiKeyFile, source);
  const command = readSetting(apiKeyCommand, source);
  if ("problem" in command) {
    return command;
  }
  if (command.value !== undefined) {
    return { value: { command: command.value, from: String(command.source) } };
  }
  if ("value" in file && file.value !== undefined) {
    return { value: { file: file.value, from: String(file.source) } };
  }
  return readSetting(apiKey, source);
}
