import { noChange } from "../../engine/plan";
import type { SettingsReader } from "../../engine/settingsReader";
import { differs } from "../../resources/compare";
import { allSettings } from "../../settings/settingTable";
import type { Request, Response } from "./messages";
import { readProperties } from "./properties";
import { providerSettings, settingFailures } from "./providerSettings";
import { checkResponse, diffResponse } from "./responses";

const secretSettings = allSettings.filter(({ secret }) => secret).map(({ name }) => name);

/** Refuses what can never be a setting. One that is missing is a failure of the resources that need it. */
export function checkConfig(request: Request<"CheckConfig">): Response<"CheckConfig"> {
  const { values, secrets } = readProperties(request.news);
  // The engine stores what this answers with: a key that a program gives plain would lie in the state in clear.
  const inputs = { values, secrets: new Set([...secrets, ...secretSettings]) };
  const failures = settingFailures(values, isDefaultProvider(request.urn ?? ""), process.env);
  return checkResponse(
    inputs,
    // The engine prints the value of the property that a failure names.
    failures.map(({ name, reason }) =>
      inputs.secrets.has(name) ? { property: "", reason: `${name} ${reason}` } : { property: name, reason },
    ),
  );
}

/** A change never replaces the provider: that would replace its resources, and start their jobs anew. */
export function diffConfig(request: Request<"DiffConfig">): Response<"DiffConfig"> {
  const [oldInputs, newInputs] = [readProperties(request.oldInputs).values, readProperties(request.news).values];
  const names = [...new Set([...Object.keys(oldInputs), ...Object.keys(newInputs)])];
  const update = names.some((name) => differs(oldInputs[name], newInputs[name]));
  const plan = { ...noChange, action: update ? ("update" as const) : ("none" as const) };
  return diffResponse({ plan, oldInputs, newInputs, outputs: [] });
}

/** The settings of this process, from what the engine configures it with. */
export function settingsOf({ args, urn = "" }: Request<"Configure">): SettingsReader {
  // An engine that tells no name has configured by the stack alone, more often than not.
  return providerSettings(readProperties(args).values, urn === "" || isDefaultProvider(urn), process.env);
}

/** The provider that the engine makes for resources which name none: its inputs are the stack's configuration. */
function isDefaultProvider(urn: string): boolean {
  return /::default(_[^:]*)?$/.test(urn);
}
