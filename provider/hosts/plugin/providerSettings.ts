import type { CheckFailure } from "../../definitions/rules";
import { keySettings } from "../../settings/apiKeySource";
import { GivenSettings } from "../../settings/settings";
import { type Setting, settingsGivenBy } from "../../settings/settingTable";
import { type Lookup, lookUpIn, settingProblem } from "../../settings/sources";
import { jsonObject } from "../../support/jsonObject";

const enginesOwn = ["version", "pluginDownloadURL", "__internal"];
/** The arguments of a provider are the settings of the stack's configuration. */
export const pluginSettings = settingsGivenBy("config");

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
): GivenSettings {
  const own = lookUpIn(given);
  // The engine gives a plugin the configuration of now in its environment, of this package, by bare names.
  const current = lookUpIn(jsonObject(environment.PULUMI_CONFIG ?? "") ?? {});
  if (!isDefault) {
    return new GivenSettings({ [isOfNow ? "argument" : "stateCopy"]: own, environment, config: current });
  }
  // The state's copy of the stack's configuration may be old, or forged.
  const config: Lookup = (name) => current(name) ?? (isOfNow ? own(name) : undefined);
  return new GivenSettings({ environment, config });
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
    const setting = pluginSettings.find(({ name }) => name === property);
    if (setting === undefined) {
      const names = pluginSettings.map(({ name }) => name).join(", ");
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
