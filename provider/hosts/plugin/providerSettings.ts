import type { CheckFailure } from "../../definitions/rules";
import { type SettingsReader, settingsReader } from "../../engine/settingsReader";
import { keySettings } from "../../settings/apiKeySource";
import { allSettings, type Setting } from "../../settings/settingTable";
import { type Lookup, lookUpIn, settingProblem } from "../../settings/sources";
import { jsonObject } from "../../support/jsonObject";

const enginesOwn = ["version", "pluginDownloadURL", "__internal"];

export function providerSettings(
  given: Readonly<Record<string, unknown>>,
  isDefault: boolean,
  environment: NodeJS.ProcessEnv,
): SettingsReader {
  const own = lookUpIn(given);
  const current = lookUpIn(stackConfigOf(environment));
  if (!isDefault) {
    return settingsReader({ argument: own, environment, config: current });
  }
  // The engine fills the inputs of a default provider from the stack's configuration. In a refresh or a destroy, these
  // inputs come from the configuration of the last `up`.
  const config: Lookup = (name) => current(name) ?? (isOtherKey(name, current) ? undefined : own(name));
  return settingsReader({ environment, config });
}

/** True for a way to give the key, where the stack's configuration of now gives the key: that of the last `up` is old. */
function isOtherKey(name: string, current: Lookup): boolean {
  const keys = keySettings.map((setting) => setting.name);
  return keys.includes(name) && keys.some((each) => current(each)?.trim());
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
