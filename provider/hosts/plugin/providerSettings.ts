import type { CheckFailure } from "../../definitions/rules";
import type { RawValues } from "../../definitions/values";
import { argumentFailures } from "../../settings/argumentFailures";
import { GivenSettings } from "../../settings/settings";
import { settingsGivenBy } from "../../settings/settingTable";
import { type Lookup, lookUpIn } from "../../settings/sources";
import { jsonObject } from "../../support/jsonObject";

/** The arguments of a provider are the settings of the stack's configuration. */
export const pluginSettings = settingsGivenBy("config");

/**
 * Returns the settings of one provider.
 * @param given its inputs: of a default provider, the stack's configuration.
 * @param isOfNow false while the state alone gives the inputs, as in a refresh and in a destroy.
 */
export function providerSettings(
  given: RawValues,
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

/** Of a default provider, the environment overrules the inputs. */
export function settingFailures(given: RawValues, isDefault: boolean, environment: NodeJS.ProcessEnv): CheckFailure[] {
  const { version: _, pluginDownloadURL: _url, __internal: _internal, ...own } = given;
  return argumentFailures(own, pluginSettings, isDefault ? environment : {});
}
