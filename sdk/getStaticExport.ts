import * as pulumi from "@pulumi/pulumi";
import type { GetStaticExportArgs, GetStaticExportResult } from "./jobs";
import { unknownWithoutKey, warnOfSettings } from "./settingWarnings";
import { stackConfig } from "./stackConfig";

export type { GetStaticExportArgs, GetStaticExportResult } from "./jobs";

/**
 * Looks a static export job up ("Get static export job status" in the API text), by one request, in a preview too.
 * Rejects with the error codes of the resources, for a job that the platform does not know as for every other failure, and
 * without a key also in a preview.
 */
export async function getStaticExport({ jobId }: GetStaticExportArgs): Promise<GetStaticExportResult> {
  warnOfSettings();
  const { lookUpExport }: typeof import("../provider/lookUps") = require("../provider/lookUps");
  return lookUpExport({ jobId }, stackConfig, pulumi.log.debug);
}

/** {@link getStaticExport} for a job id that is an output. In a preview without a key, the result is unknown. */
export function getStaticExportOutput(
  args: {
    [K in keyof GetStaticExportArgs]: pulumi.Input<GetStaticExportArgs[K]>;
  },
): pulumi.Output<GetStaticExportResult> {
  return pulumi.output(unknownWithoutKey(args)).apply(getStaticExport);
}
