import { words } from "../support/words";
import { apiKey, apiKeyCommand, apiKeyFile, howToGive, type Setting } from "./settingTable";
import { firstSource, type Problem, readSetting, type Sources } from "./sources";

/** The admin API key, or where it is read at the first request; `from` is what gives it, as errors name it. */
export type ApiKeySource =
  | string
  | { readonly file: string; readonly from: string }
  | { readonly command: readonly string[]; readonly from: string };

/** The ways to give the key: one at a time. */
export const keySettings: readonly Setting<unknown>[] = [apiKey, apiKeyFile, apiKeyCommand];

/** All ways to give the key. */
const apiKeyAdvice = () =>
  `${howToGive(apiKey)}; or name a file that holds it (${apiKeyFile.variable}) or a command that prints it (${apiKeyCommand.variable})`;

/** What an operation that sends says of a key that is given in no way. */
export function missingKey(): string {
  return `the setting ${words.name("apiKey")} is missing: ${apiKeyAdvice()}`;
}

/** What a preview says of it. */
export function missingKeyWarning(): string {
  return `no admin API key is given: a ${words.preview} needs none, and what it would look up stays unknown; \`${words.run}\` needs it: ${apiKeyAdvice()}`;
}

/**
 * The key of the first level that gives one in any way: the provider's arguments, the environment, the stack's configuration.
 * Two ways at one level are refused, since neither is the one that is meant. Where no level gives one, there is no key.
 */
export function readApiKeySource({
  config,
  environment,
  argument,
}: Sources): { value: ApiKeySource | undefined } | { problem: Problem } {
  for (const level of [{ argument }, { environment }, { config }]) {
    const [first, second] = keySettings.flatMap((setting) => firstSource(setting, level)[0] ?? []);
    if (second !== undefined) {
      const reason = `the key is given in two ways, by ${first} and by ${second}: remove one of them`;
      return { problem: { setting: apiKey.name, reason } };
    }
    if (first !== undefined) {
      return readLevel(level);
    }
  }
  return { value: undefined };
}

function readLevel(level: Sources): { value: ApiKeySource } | { problem: Problem } {
  const file = readSetting(apiKeyFile, level);
  const command = readSetting(apiKeyCommand, level);
  if ("problem" in command) {
    return command;
  }
  if (command.value !== undefined) {
    return { value: { command: command.value, from: String(command.source) } };
  }
  if ("value" in file && file.value !== undefined) {
    return { value: { file: file.value, from: String(file.source) } };
  }
  return readSetting(apiKey, level);
}
