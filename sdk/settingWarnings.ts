import * as pulumi from "@pulumi/pulumi";
import { lacksApiKey, missingKeyWarning } from "../provider/settings/apiKeySource";
import { untrustedBaseUrlProblem } from "../provider/settings/machineSecrets";
import { stackConfig } from "./stackConfig";

const sources = { environment: process.env, config: stackConfig };

let warned = false;

/** Warns, once in a run, of valid settings that endanger the key. */
export function warnOfUnsafeKeySettings(): void {
  if (warned) {
    return;
  }
  warned = true;
  const redirected = untrustedBaseUrlProblem(sources);
  for (const warning of [plainKey(), redirected?.isRefused ? undefined : redirected?.text]) {
    if (warning !== undefined) {
      pulumi.log.warn(warning);
    }
  }
}

let warnedOfMissingKey = false;

/**
 * Returns the arguments of a look-up. In a preview without a key it returns unknown arguments, so that the result of
 * the look-up is unknown, too. It then warns once in a run that the key is missing.
 */
export function unknownArgsWithoutApiKey<Args>(args: Args): Args {
  if (!pulumi.runtime.isDryRun() || !lacksApiKey(sources)) {
    return args;
  }
  if (!warnedOfMissingKey) {
    warnedOfMissingKey = true;
    pulumi.log.warn(missingKeyWarning());
  }
  return pulumi.unknown as Args;
}

/**
 * Returns a warning if the stack's configuration contains a key that is not marked as secret, because the key is then
 * readable in a file of the project.
 */
function plainKey(): string | undefined {
  const key = "docs-platform:apiKey";
  const secretKeys = process.env.PULUMI_CONFIG_SECRET_KEYS;
  const inClear = secretKeys !== undefined && !secretKeys.includes(JSON.stringify(key));
  return inClear && stackConfig("apiKey") !== undefined
    ? `${key} is in clear text in the stack's configuration: run \`pulumi config set --secret ${key}\`.`
    : undefined;
}
