import { keySettings } from "./apiKeySource";
import type { Setting } from "./settingTable";
import { createSettingLookup, settingProblem } from "./sources";

/**
 * Returns the reasons why a provider cannot use its arguments as settings. Unknown values are accepted.
 * @param settings the settings that an argument can give.
 * @param environment is given if the environment takes precedence over the arguments. An argument is not checked if the
 * environment gives the same setting.
 */
export function argumentFailures(
  given: Readonly<Record<string, unknown>>,
  settings: readonly Setting<unknown>[],
  environment: NodeJS.ProcessEnv = {},
): { property: string; reason: string }[] {
  const argument = createSettingLookup(given);
  return Object.keys(given).flatMap((property) => {
    const text = argument(property);
    if (text === undefined) {
      return [];
    }
    const setting = settings.find(({ name }) => name === property);
    if (setting === undefined) {
      const names = settings.map(({ name }) => name).join(", ");
      return [{ property, reason: `is not a setting of this provider, which has ${names}` }];
    }
    const reason = isInEnvironment(setting, environment) ? undefined : settingProblem(setting, text);
    return reason === undefined ? [] : [{ property, reason }];
  });
}

/**
 * Returns true if the environment gives a setting. The settings of the API key count as one: if the environment gives
 * `apiKey`, the result is also true for `apiKeyFile`.
 */
function isInEnvironment(setting: Setting<unknown>, environment: NodeJS.ProcessEnv): boolean {
  const ways = keySettings.includes(setting) ? keySettings : [setting];
  return ways.some(({ variable }) => environment[variable]?.trim());
}
