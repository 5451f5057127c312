import { withoutUnset } from "../../definitions/rules";
import { type RawValues, unknown } from "../../definitions/values";
import { callFunction } from "../../engine/callFunction";
import { ArgumentError } from "../../functions/function";
import { functions } from "../../functions/index";
import { withErrorCode } from "../../pulumiEngine/engineValues";
import { mapValues } from "../../support/objects";
import { camelCaseKeys } from "../../support/words";
import type { PluginRequest, PluginResponse, PulumiEngineFeatures } from "./messages";
import type { PluginProviderSettings } from "./pluginProviderSettings";
import { readProperties, writeOutputValues, writeProperties } from "./properties";
import { invalidRequestFailure, requireKnown } from "./rpcFailures";

/**
 * The result is secret only if an argument is secret. Some SDKs refuse secret results, but these SDKs send no secret
 * arguments.
 */
export async function invoke(
  request: PluginRequest<"Invoke">,
  { settings, session }: PluginProviderSettings,
  { takesOutputs }: PulumiEngineFeatures,
): Promise<PluginResponse<"Invoke">> {
  const { tok: token = "" } = request;
  const called = requireKnown("function", functions, token);
  const { values, secrets, dependencies } = readProperties(request.args);
  const written = (result: object) =>
    takesOutputs
      ? writeOutputValues({ ...result }, secrets.size > 0, dependencies)
      : writeProperties({ ...result }, new Set(secrets.size > 0 ? Object.keys(result) : []));
  // An engine that does not accept output values also refuses unknown values. So it gets an empty result.
  const notKnown = () => ({ return: takesOutputs ? written(unknownResult(token)) : {} });
  // The SDK for Python sends the keys of a dictionary as the program wrote them, so `bundle_url` must become
  // `bundleUrl`.
  const args = withoutUnset(mapValues(values, (_, value) => camelCaseKeys(value)));
  try {
    const result = await callFunction(called, args, { settings, session, isPreview: request.preview });
    return result === unknown ? notKnown() : { return: written(result) };
  } catch (error) {
    if (error instanceof ArgumentError && error.failures.length > 0) {
      return { failures: error.failures.map(withErrorCode) };
    }
    throw error instanceof ArgumentError ? invalidRequestFailure(error.message) : error;
  }
}

function unknownResult(token: string): RawValues {
  const { functions }: { functions: Record<string, { outputs: { properties: object } }> } = require("#schema");
  return mapValues({ ...functions[token]?.outputs.properties }, () => unknown);
}
