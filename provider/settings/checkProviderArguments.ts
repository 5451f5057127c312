import { apiKeySettings } from "./apiKeySource";
import type { Setting } from "./settingTable";
import { createSettingLookup, settingTextProblem } from "./sources";

/**
 * Returns the reasons why a provider cannot use its arguments as settings. An unknown value is no failure.
 * @param environment the variables that take precedence over the arguments. An argument is not checked if one of these
 * variables gives the same setting.
 */
export function checkProviderArguments(
  given: Readonly<Record<string, unknown>>,
  settings: readonly Setting<unknown>[],
  environment: NodeJS.ProcessEnv = {},
): { property: string; reason: string }[] {
  const argument = createSettingLookup(given);
  return Object.keys(given).flatMap((property) => {
    const text = argument(property);
    const setting = settings.find(({ name }) => name === property);
    if (text === undefined || (setting !== undefined && isInEnvironment(setting, environment))) {
      return [];
    }
    const names = settings.map(({ name }) => name).join(", ");
    const reason = setting
      ? settingTextProblem(setting, text)
      : `is not a setting of this provider, which has ${names}`;
    return reason === undefined ? [] : [{ property, reason }];
  });
}

/**
 * If the environment gives one setting of the API key, such as `apiKey`, the result is true for all settings of the
 * key.
 */
function isInEnvironment(setting: Setting<unknown>, environment: NodeJS.ProcessEnv): boolean {
  const ways = apiKeySettings.includes(setting) ? apiKeySettings : [setting];
  return ways.some(({ variable }) => environment[variable]?.trim());
}
