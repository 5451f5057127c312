import type { CheckFailure } from "../../definitions/rules";
import type { RawValues } from "../../definitions/values";
import { noChange } from "../../engine/plan";
import { checkProviderArguments } from "../../settings/checkProviderArguments";
import { CheckedSettings } from "../../settings/settings";
import { settingsAcceptedFrom } from "../../settings/settingTable";
import { createSettingLookup, type SettingLookup } from "../../settings/sources";
import { parseJsonObject } from "../../support/parseJsonObject";
import type { PluginRequest, PluginResponse } from "./messages";
import { readProperties, writeProperties } from "./properties";
import { changedInputs, checkResponse, diffResponse } from "./responses";

/** The settings that are arguments of a provider. The stack's configuration gives the same settings. */
export const providerArgumentSettings = settingsAcceptedFrom("config");

/**
 * @param given the provider's inputs, or the stack's configuration for a default provider.
 * @param isOfNow false if only the state gives the inputs, as in a refresh or a destroy.
 */
export function combineSettingSources(
  given: RawValues,
  isDefault: boolean,
  environment: NodeJS.ProcessEnv,
  isOfNow: boolean,
): CheckedSettings {
  const own = createSettingLookup(given);
  // The engine passes this package's current configuration in PULUMI_CONFIG, by names without a prefix.
  const current = createSettingLookup(parseJsonObject(environment.PULUMI_CONFIG ?? "") ?? {});
  if (!isDefault) {
    return new CheckedSettings({ [isOfNow ? "argument" : "stateCopy"]: own, environment, config: current });
  }
  // The state's copy of the stack's configuration may be old or forged, so it is not used.
  const config: SettingLookup = (name) => current(name) ?? (isOfNow ? own(name) : undefined);
  return new CheckedSettings({ environment, config });
}

/** For a default provider, the environment takes precedence over the inputs. */
export function settingFailures(given: RawValues, isDefault: boolean, environment: NodeJS.ProcessEnv): CheckFailure[] {
  const { version: _, pluginDownloadURL: _url, __internal: _internal, ...own } = given;
  return checkProviderArguments(own, providerArgumentSettings, isDefault ? environment : {});
}

export interface PluginProviderInputs {
  inputs: RawValues;
  isDefault: boolean;
}

const secretSettings = providerArgumentSettings.filter(({ secret }) => secret).map(({ name }) => name);

/** Refuses values that can never be valid. A resource that needs a missing setting reports this itself. */
export function checkConfig(request: PluginRequest<"CheckConfig">): PluginResponse<"CheckConfig"> {
  const { values, secrets } = readProperties(request.news);
  // The engine saves this answer, so a key is marked as secret even if the program gives it as a plain value.
  const marked = new Set([...secrets, ...secretSettings]);
  const failures = settingFailures(values, isDefaultProvider(request.urn ?? ""), process.env);
  return checkResponse(writeProperties(values, marked), failures, marked);
}

/** Never plans a replacement, because it would also replace the provider's resources, and start their jobs again. */
export function diffConfig(request: PluginRequest<"DiffConfig">): PluginResponse<"DiffConfig"> {
  const [oldInputs, newInputs] = [readProperties(request.oldInputs).values, readProperties(request.news).values];
  const isUpdate = changedInputs(oldInputs, newInputs).length > 0;
  return diffResponse({ ...noChange, action: isUpdate ? "update" : "none" }, oldInputs, newInputs);
}

export function decodeProviderInputs(properties: RawValues | undefined, urn = ""): PluginProviderInputs {
  return { inputs: readProperties(properties).values, isDefault: urn === "" || isDefaultProvider(urn) };
}

/** True for the default provider, which the engine creates for resources that name no provider. */
function isDefaultProvider(urn: string): boolean {
  return /::default(_[^:]*)?$/.test(urn);
}
