import { type InvokeRequest, InvokeResponse } from "@pulumi/pulumi/proto/provider_pb";
import { ArgumentError } from "../../definitions/definition";
import { functions } from "../../definitions/index";
import { given, validate } from "../../definitions/rules";
import { warnOfMissingKey } from "../../engine/missingKey";
import { camelCase } from "../../support/letterCase";
import type { PulumiSession } from "../pulumi/session";
import { failureList } from "./checkResponse";
import { readProperties, writeProperties } from "./properties";
import type { ProviderInstance } from "./providerInstances";
import { badRequest } from "./rpcError";

/**
 * Answers the call of a function. The result is secret where an argument was sent as secret, and never else: the SDKs that
 * send none so know themselves what was secret, and some refuse a result that is.
 */
export async function invoke(
  request: InvokeRequest,
  { settings, signal }: ProviderInstance,
  session: PulumiSession,
): Promise<InvokeResponse> {
  const debug = (text: string) => session.debug(undefined, text);
  const token = request.getTok();
  const called = functions[token.replace(/^docs-platform:index:/, "")];
  if (called === undefined) {
    throw badRequest(`there is no function ${token}; there are ${Object.keys(functions).join(", ")}`);
  }
  const { values, secrets } = readProperties(request.getArgs());
  const args = given(Object.fromEntries(Object.entries(values).map(([name, value]) => [name, inCamelCase(value)])));
  const response = new InvokeResponse();
  const failures = validate(args, called.inputs, "this function");
  if (failures.length > 0) {
    return response.setFailuresList(failureList(failures));
  }
  let lacksKey = false;
  const requireSettings = () => {
    lacksKey = request.getPreview() && warnOfMissingKey(settings, session);
    if (lacksKey) throw new Error("this preview has no key");
    return settings.require();
  };
  const result = await called.call(args, { settings: requireSettings, signal, debug }).catch((error: unknown) => {
    // The function had to send a request, and this preview has no key. The engine refuses unknown values of a function: this is
    // what it answers itself where a provider is not configured yet.
    if (lacksKey) return {};
    throw error instanceof ArgumentError ? badRequest(error.message) : error;
  });
  const names = secrets.size > 0 ? Object.keys(result) : [];
  return response.setReturn(writeProperties({ ...result }, new Set(names)));
}

/** The SDK for Python sends a dictionary among the arguments as the program writes it: `bundle_url` for `bundleUrl`. */
function inCamelCase(value: unknown): unknown {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).map(([name, item]) => [camelCase(name), inCamelCase(item)]))
    : value;
}
