import type { CheckFailure } from "../../definitions/rules";
import type { RawValues } from "../../definitions/values";
import { argumentFailures } from "../../settings/argumentFailures";
import { GivenSettings } from "../../settings/settings";
import { settingsGivenBy } from "../../settings/settingTable";
import { createSettingLookup, type SettingLookup } from "../../settings/sources";
import { jsonObject } from "../../support/jsonObject";

/** The settings that are arguments of a provider. The stack's configuration gives the same settings. */
export const pluginSettings = settingsGivenBy("config");

/**
 * Returns the settings of one provider.
 * @param given the provider's inputs. For a default provider, these inputs are the stack's configuration.
 * @param isOfNow false if only the state gives the inputs, as in a refresh and in a destroy.
 */
export function providerSettings(
  given: RawValues,
  isDefault: boolean,
  environment: NodeJS.ProcessEnv,
  isOfNow: boolean,
): GivenSettings {
  const own = createSettingLookup(given);
  // The engine passes the current configuration of this package in the plugin's environment, by names without a prefix.
  const current = createSettingLookup(jsonObject(environment.PULUMI_CONFIG ?? "") ?? {});
  if (!isDefault) {
    return new GivenSettings({ [isOfNow ? "argument" : "stateCopy"]: own, environment, config: current });
  }
  // The state's copy of the stack's configuration is not used, because it may be old, or forged.
  const config: SettingLookup = (name) => current(name) ?? (isOfNow ? own(name) : undefined);
  return new GivenSettings({ environment, config });
}

/**
 * Returns the failures of a provider's inputs. For a default provider, the environment takes precedence over the
 * inputs.
 */
export function settingFailures(given: RawValues, isDefault: boolean, environment: NodeJS.ProcessEnv): CheckFailure[] {
  const { version: _, pluginDownloadURL: _url, __internal: _internal, ...own } = given;
  return argumentFailures(own, pluginSettings, isDefault ? environment : {});
}
