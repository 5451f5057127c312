import { type InputFields, type InputsAcceptedBy, validateInputs, withoutUnset } from "./definitions/rules";
import type { FunctionDefinition } from "./functions/function";
import { getAgentJobFunction } from "./functions/getAgentJob";
import { getStaticExportFunction } from "./functions/getStaticExport";
import { connect } from "./platform/connect";
import { explainMissingApiKey } from "./settings/apiKeySource";
import { CheckedSettings, type Settings } from "./settings/settings";
import type { SettingLookup } from "./settings/sources";
import { asDocsPlatformError, ConfigurationError } from "./support/errors";

/** The `get*` functions of the SDK load this file when they are called. */

type ArgumentsOf<Called extends FunctionDefinition> = {
  [Name in keyof InputsAcceptedBy<Called["inputs"]>]: InputsAcceptedBy<Called["inputs"]>[Name] | undefined;
};

type Debug = (text: string) => void;

export const lookUpExport = (args: ArgumentsOf<typeof getStaticExportFunction>, config: SettingLookup, debug?: Debug) =>
  ask(getStaticExportFunction, args, config, debug);

export const lookUpAgentJob = (args: ArgumentsOf<typeof getAgentJobFunction>, config: SettingLookup, debug?: Debug) =>
  ask(getAgentJobFunction, args, config, debug);

async function ask<Result extends object>(
  lookUp: FunctionDefinition<InputFields, Result>,
  args: object,
  config: SettingLookup,
  debug: Debug = () => {},
): Promise<Result> {
  try {
    const settings = settingsFor(lookUp.name, config);
    const values = withoutUnset({ ...args });
    const failures = validateInputs(values, lookUp.inputs, lookUp.name);
    if (failures.length > 0) {
      throw new ConfigurationError(failures.map(({ property, reason }) => `${property} ${reason}`));
    }
    return await lookUp.call(values, {
      settings: () => settings,
      signal: new AbortController().signal,
      connect: (given) => connect(given, debug),
    });
  } catch (error) {
    throw withoutStack(error);
  }
}

function settingsFor(name: string, config: SettingLookup): Settings {
  const sources = { environment: process.env, config };
  const settings = new CheckedSettings(sources);
  if (settings.lacksKey) {
    const remedy = `set the key. An inline program of the Automation API does not see the envVars of its stack: set the variable in the environment of its own process, or the key in the stack's configuration. In a preview without a key, ${name}Output gives an unknown value and no error.`;
    throw new ConfigurationError([explainMissingApiKey(sources)], remedy);
  }
  return settings.need("requests");
}

/** The engine prints the stack of an error that a program does not catch, and a stack does not help a user. */
function withoutStack(error: unknown): Error {
  const { message } = asDocsPlatformError(error);
  return Object.assign(new Error(message), { stack: message });
}
