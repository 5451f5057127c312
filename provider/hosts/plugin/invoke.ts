import { validate, withoutUnset } from "../../definitions/rules";
import { type RawValues, unknown } from "../../definitions/values";
import { warnOfMissingKey } from "../../engine/missingKey";
import { ArgumentError } from "../../functions/function";
import { functions } from "../../functions/index";
import { withCode } from "../../pulumiEngine/engineValues";
import type { PulumiSession } from "../../pulumiEngine/session";
import { holdsUnknown } from "../../resources/compare";
import type { Settings } from "../../settings/settings";
import { camelCase } from "../../support/words";
import type { PluginRequest, PluginResponse } from "./messages";
import { readProperties, writeOutputValues, writeProperties } from "./properties";
import type { EngineConnection, ProviderInstance } from "./providerInstances";
import { badRequest } from "./rpcError";

/**
 * Calls a function. The result is secret only if an argument was sent as secret: an SDK that sends no secrets knows
 * itself which values were secret, and some of these SDKs refuse a secret result.
 */
export async function invoke(
  request: PluginRequest<"Invoke">,
  { settings, signal }: ProviderInstance,
  session: PulumiSession,
  { engine: { takesOutputs } }: EngineConnection,
): Promise<PluginResponse<"Invoke">> {
  const { tok: token = "" } = request;
  const called = functions[token.replace(/^docs-platform:index:/, "")];
  if (called === undefined) {
    throw badRequest(`there is no function ${token}; the functions are ${Object.keys(functions).join(", ")}`);
  }
  const { values, secrets, dependencies } = readProperties(request.args);
  const written = (result: object) =>
    takesOutputs
      ? writeOutputValues({ ...result }, secrets.size > 0, dependencies)
      : writeProperties({ ...result }, new Set(secrets.size > 0 ? Object.keys(result) : []));
  const args = withoutUnset(
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, inCamelCase(value)])),
  );
  const failures = validate(args, called.inputs, "this function");
  if (failures.length > 0) {
    return { failures: failures.map(withCode) };
  }
  if (holdsUnknown(args)) {
    try {
      called.foresee?.(args);
    } catch (error) {
      asBadRequest(error);
    }
    return { return: written(notKnown(token)) };
  }
  let lacksKey = false;
  const requireSettings = () => {
    lacksKey = (request.preview ?? false) && warnOfMissingKey(settings, session);
    if (lacksKey) {
      throw new Error("this preview has no key");
    }
    return settings.require();
  };
  const connect = (given: Settings) => session.connect(given);
  const result = await called.call(args, { settings: requireSettings, signal, connect }).catch((error: unknown) => {
    // The function needs a request, and this preview has no key. An engine that takes no output values refuses unknown
    // values: it gets an empty result, as from a provider that is not configured yet.
    if (lacksKey) {
      return takesOutputs ? notKnown(token) : {};
    }
    return asBadRequest(error);
  });
  return { return: written(result) };
}

function asBadRequest(error: unknown): never {
  throw error instanceof ArgumentError ? badRequest(error.message) : error;
}

/** Returns all outputs of a function as unknown. */
function notKnown(token: string): RawValues {
  const { functions }: { functions: Record<string, { outputs: { properties: object } }> } = require("#schema");
  return Object.fromEntries(Object.keys(functions[token]?.outputs.properties ?? {}).map((name) => [name, unknown]));
}

/**
 * Renames the keys of a dictionary: the SDK for Python sends them as the program writes them, `bundle_url` for
 * `bundleUrl`.
 */
function inCamelCase(value: unknown): unknown {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).map(([name, item]) => [camelCase(name), inCamelCase(item)]))
    : value;
}
