import type { CheckFailure } from "../../definitions/rules";
import { type SettingsReader, settingsReader } from "../../engine/settingsReader";
import { keySettings } from "../../settings/apiKeySource";
import { allSettings, type Setting } from "../../settings/settingTable";
import { type Lookup, lookUpIn, settingProblem } from "../../settings/sources";
import { jsonObject } from "../../support/jsonObject";

const enginesOwn = ["version", "pluginDownloadURL", "__internal"];

/**
 * Returns the settings of one provider.
 * @param given its inputs: of a default provider, the stack's configuration.
 * @param isOfNow false while the state alone gives the inputs, as in a refresh and in a destroy.
 */
export function providerSettings(
  given: Readonly<Record<string, unknown>>,
  isDefault: boolean,
  environment: NodeJS.ProcessEnv,
  isOfNow: boolean,
): SettingsReader {
  const own = lookUpIn(given);
  const current = lookUpIn(stackConfigOf(environment));
  if (!isDefault) {
    return settingsReader({ [isOfNow ? "argument" : "stateCopy"]: own, environment, config: current });
  }
  // The engine gives a plugin the stack's configuration of now in each run. What the state repeats of it may be old, or forged.
  const config: Lookup = (name) => current(name) ?? (isOfNow ? own(name) : undefined);
  return settingsReader({ environment, config });
}

export function settingFailures(
  given: Readonly<Record<string, unknown>>,
  isDefault: boolean,
  environment: NodeJS.ProcessEnv,
): CheckFailure[] {
  const own = lookUpIn(given);
  return Object.keys(given).flatMap((property) => {
    const text = own(property);
    if (enginesOwn.includes(property) || text === undefined) {
      return [];
    }
    const setting = allSettings.find(({ name }) => name === property);
    if (setting === undefined) {
      const names = allSettings.map(({ name }) => name).join(", ");
      return [{ property, reason: `is not a setting of this provider, which has ${names}` }];
    }
    const isOverruled = isDefault && isInEnvironment(setting, environment);
    const reason = isOverruled ? undefined : settingProblem(setting, text);
    return reason === undefined ? [] : [{ property, reason }];
  });
}

/** True if the environment gives a setting. It gives the key in one of several ways. */
function isInEnvironment(setting: Setting<unknown>, environment: NodeJS.ProcessEnv): boolean {
  const ways = keySettings.includes(setting) ? keySettings : [setting];
  return ways.some(({ variable }) => environment[variable]?.trim());
}

/** The stack's configuration of now, which the engine gives to a plugin in its environment: of this package, by bare names. */
function stackConfigOf({ PULUMI_CONFIG: text }: NodeJS.ProcessEnv): Record<string, unknown> {
  return jsonObject(text ?? "") ?? {};
}
