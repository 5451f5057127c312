import { keySettings } from "./apiKeySource";
import type { Setting } from "./settingTable";
import { lookUpIn, settingProblem } from "./sources";

/**
 * Returns why the arguments of a provider cannot be its settings. What is not known yet passes.
 * @param settings those that an argument can give.
 * @param environment of a provider that it overrules.
 */
export function argumentFailures(
  given: Readonly<Record<string, unknown>>,
  settings: readonly Setting<unknown>[],
  environment: NodeJS.ProcessEnv = {},
): { property: string; reason: string }[] {
  const argument = lookUpIn(given);
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

/** Returns true if the environment gives a setting. It gives the key in one of several ways. */
function isInEnvironment(setting: Setting<unknown>, environment: NodeJS.ProcessEnv): boolean {
  const ways = keySettings.includes(setting) ? keySettings : [setting];
  return ways.some(({ variable }) => environment[variable]?.trim());
}
