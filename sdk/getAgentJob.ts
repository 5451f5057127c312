import * as pulumi from "@pulumi/pulumi";
import type { GetAgentJobArgs, GetAgentJobResult } from "./jobs";
import { unknownWithoutKey, warnOfSettings } from "./settingWarnings";
import { stackConfig } from "./stackConfig";

export type { GetAgentJobArgs, GetAgentJobResult } from "./jobs";

/**
 * Looks an agent job up ("Get an agent job" in the API text, whose path is not shown: the setting `routes`), by
 * one request, in a preview too. Rejects with the error codes of the resources, and without a key also in a preview.
 */
export async function getAgentJob({ jobId, projectId }: GetAgentJobArgs): Promise<GetAgentJobResult> {
  warnOfSettings();
  const { lookUpAgentJob }: typeof import("../provider/lookUps") = require("../provider/lookUps");
  return lookUpAgentJob({ jobId, projectId }, stackConfig, pulumi.log.debug);
}

/** {@link getAgentJob} for ids that are outputs. In a preview without a key, the result is unknown. */
export function getAgentJobOutput(
  args: {
    [K in keyof GetAgentJobArgs]: pulumi.Input<GetAgentJobArgs[K]>;
  },
): pulumi.Output<GetAgentJobResult> {
  return pulumi.output(unknownWithoutKey(args)).apply(getAgentJob);
}
