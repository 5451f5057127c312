import type { RawValues } from "../../definitions/values";
import { noChange } from "../../engine/plan";
import type { PluginRequest, PluginResponse } from "./messages";
import type { PluginProviderInputs } from "./pluginProvider";
import { readProperties, writeProperties } from "./properties";
import { pluginSettings, settingFailures } from "./providerSettings";
import { changedInputs, checkResponse, diffResponse } from "./responses";

const secretSettings = pluginSettings.filter(({ secret }) => secret).map(({ name }) => name);

/**
 * Refuses values that can never be valid settings. A missing setting is no failure here: the resources that need it
 * report it.
 */
export function checkConfig(request: PluginRequest<"CheckConfig">): PluginResponse<"CheckConfig"> {
  const { values, secrets } = readProperties(request.news);
  // The engine saves this answer. Secret settings are marked as secret, so that the state never contains a key in clear
  // text, even if the program gives the key as a plain value.
  const marked = new Set([...secrets, ...secretSettings]);
  const failures = settingFailures(values, isDefaultProvider(request.urn ?? ""), process.env);
  return checkResponse(writeProperties(values, marked), failures, marked);
}

/**
 * Never plans a replacement of the provider. The replacement would also replace the provider's resources, and start
 * their jobs again.
 */
export function diffConfig(request: PluginRequest<"DiffConfig">): PluginResponse<"DiffConfig"> {
  const [oldInputs, newInputs] = [readProperties(request.oldInputs).values, readProperties(request.news).values];
  const isUpdate = changedInputs(oldInputs, newInputs).length > 0;
  const plan = { ...noChange, action: isUpdate ? ("update" as const) : ("none" as const) };
  return diffResponse(plan, oldInputs, newInputs);
}

export function decodeProviderInputs(properties: RawValues | undefined, urn = ""): PluginProviderInputs {
  return { inputs: readProperties(properties).values, isDefault: urn === "" || isDefaultProvider(urn) };
}

/**
 * True for the default provider, which the engine creates for resources that name no provider. Its inputs are the
 * stack's configuration.
 */
function isDefaultProvider(urn: string): boolean {
  return /::default(_[^:]*)?$/.test(urn);
}
