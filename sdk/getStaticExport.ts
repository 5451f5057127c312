import * as pulumi from "@pulumi/pulumi";
import { unknownArgsWithoutApiKey, warnOfUnsafeKeySettings } from "./settingWarnings";
import { stackConfig } from "./stackConfig";

/** The arguments of {@link getStaticExport}. */
export interface GetStaticExportArgs {
  /** Identifier of the job. */
  jobId: string;
}

/** The schema `StaticExportJob` of the API text. A field that is missing in the answer is undefined. */
export interface GetStaticExportResult {
  /** Identifier of the job. */
  jobId: string;
  /** The platform's word for the status. A job with `completed`, `failed` or a word such as `cancelled` has ended. */
  status: string;
  /** The finished part of the job, from 0 to 1. */
  progress: number | undefined;
  /** Number of pages. */
  pageCount: number | undefined;
  /** Domain of the deployment. */
  domain: string | undefined;
  /** Why the job failed, in the platform's words. */
  error: string | undefined;
  /** When the job started, ISO 8601 in UTC. */
  startedAt: string | undefined;
  /** When the job was completed, ISO 8601 in UTC. */
  completedAt: string | undefined;
}

/**
 * Looks up a static export job ("Get static export job status" in the API text) by one request, also in a preview.
 * Rejects with the same error codes as the resources. Without a key, it fails in a preview, too.
 */
export async function getStaticExport({ jobId }: GetStaticExportArgs): Promise<GetStaticExportResult> {
  warnOfUnsafeKeySettings();
  const { lookUpExport }: typeof import("../provider/lookUps") = require("../provider/lookUps");
  return lookUpExport({ jobId }, stackConfig, pulumi.log.debug);
}

/** {@link getStaticExport} for a job id that is an output. In a preview without a key, the result is unknown. */
export function getStaticExportOutput(
  args: {
    [K in keyof GetStaticExportArgs]: pulumi.Input<GetStaticExportArgs[K]>;
  },
): pulumi.Output<GetStaticExportResult> {
  return pulumi.output(unknownArgsWithoutApiKey(args)).apply(getStaticExport);
}
