import {
  type CheckRequest,
  type CheckResponse,
  type ConfigureRequest,
  ConfigureResponse,
  type DiffRequest,
  type DiffResponse,
  type ProviderHandshakeRequest,
  ProviderHandshakeResponse,
} from "@pulumi/pulumi/proto/provider_pb";
import { noChange } from "../../engine/plan";
import type { SettingsSource } from "../../engine/settingsSource";
import { differs } from "../../resources/compare";
import { allSettings } from "../../support/settingTable";
import { checkResponse } from "./checkResponse";
import { diffResponse } from "./detailedDiff";
import { readProperties } from "./properties";
import { providerSettings, settingFailures } from "./providerSettings";

const secretSettings = allSettings.filter(({ secret }) => secret).map(({ name }) => name);

/** Refuses what can never be a setting. One that is missing is a failure of the resources that need it. */
export function checkConfig(request: CheckRequest): CheckResponse {
  const { values, secrets } = readProperties(request.getNews());
  // The engine stores what this answers with: a key that a program gives plain would lie in the state in clear.
  const inputs = { values, secrets: new Set([...secrets, ...secretSettings]) };
  const failures = settingFailures(values, isDefaultProvider(request.getUrn()), process.env);
  return checkResponse(
    inputs,
    // The engine prints the value of the property that a failure names.
    failures.map(({ name, reason }) =>
      inputs.secrets.has(name) ? { property: "", reason: `${name} ${reason}` } : { property: name, reason },
    ),
  );
}

/** A change never replaces the provider: that would replace its resources, and start their jobs anew. */
export function diffConfig(request: DiffRequest): DiffResponse {
  const [oldInputs, newInputs] = [
    readProperties(request.getOldInputs()).values,
    readProperties(request.getNews()).values,
  ];
  const names = [...new Set([...Object.keys(oldInputs), ...Object.keys(newInputs)])];
  const update = names.some((name) => differs(oldInputs[name], newInputs[name]));
  const plan = { ...noChange, action: update ? ("update" as const) : ("none" as const) };
  return diffResponse({ plan, oldInputs, newInputs, outputs: [] });
}

/** The settings of this process, from what the engine configures it with. */
export function settingsOf(request: ConfigureRequest): SettingsSource {
  // An engine that tells no name has configured by the stack alone, more often than not.
  const urn = request.getUrn?.() ?? "";
  return providerSettings(readProperties(request.getArgs()).values, urn === "" || isDefaultProvider(urn), process.env);
}

/** Whether the engine tells a function that it runs in a preview, and takes results that are not known yet. */
export function takesOutputs(request: ProviderHandshakeRequest): boolean {
  // An SDK older than the engine reads fewer fields.
  return request.getInvokeWithPreview?.() && request.getAcceptsOutputsInInvoke?.();
}

export function handshakeResponse(takesOutputs: boolean): ProviderHandshakeResponse {
  const response = new ProviderHandshakeResponse().setAcceptSecrets(true);
  return takesOutputs ? response.setAcceptsOutputsInInvoke(true) : response;
}

export function configureResponse(): ConfigureResponse {
  // A resource that is given as an input arrives as its id.
  return new ConfigureResponse().setAcceptsecrets(true).setSupportspreview(true);
}

/** The provider that the engine makes for resources which name none: its inputs are the stack's configuration. */
function isDefaultProvider(urn: string): boolean {
  return /::default(_[^:]*)?$/.test(urn);
}
