import * as pulumi from "@pulumi/pulumi";
import { exportBundleDefinition as definition } from "../provider/definitions/exportBundle";
import { createRegistrationArgs, isResourceOfDefinition, pauseStackTraces } from "./resource";

/** The arguments of an {@link ExportBundle}. */
export interface ExportBundleArgs {
  /** Identifier of a completed job, usually `StaticExport.jobId`. A change replaces the link. */
  jobId: pulumi.Input<string>;
  /**
   * A run renews the link if the link expires within this time, a Go duration of zero or more. If this time is longer
   * than half of the link's life, the provider uses half of the link's life. Otherwise every run would renew a
   * short-lived link. Default: `"10m"`.
   */
  renewBefore?: pulumi.Input<string> | undefined;
  /** The version for the Helm values, which pins a rollout. Default: the job id. */
  version?: pulumi.Input<string> | undefined;
  /**
   * If true, the provider reads one byte of the bundle from the storage, without the key, at each new link and in a refresh.
   * If the storage refuses the link (403), the provider creates one more. Default: false.
   */
  verifyLink?: pulumi.Input<boolean> | undefined;
}

/**
 * A presigned link to the bundle of a completed job ("Generate export bundle" in the API text). `pulumi up` renews it
 * in place if it expires within `renewBefore`. A renewal is exactly one request, for the same job. Nothing else in the
 * stack changes. A `refresh` renews it, too.
 */
export class ExportBundle extends pulumi.CustomResource {
  /** The presigned link to the archive. Secret: stored encrypted, never printed. */
  declare readonly bundleUrl: pulumi.Output<string>;
  /** The end of the link, from the platform's answer; ISO 8601 in UTC. */
  declare readonly expiresAt: pulumi.Output<string>;
  /** When the platform created the link, by the platform's clock; ISO 8601 in UTC. */
  declare readonly issuedAt: pulumi.Output<string>;
  /** Identifier of the job. */
  declare readonly jobId: pulumi.Output<string>;
  /** The pin for reproducible rollouts: the input `version`, or the job id. */
  declare readonly version: pulumi.Output<string>;

  /** Returns true for an ExportBundle, also if another copy of this package has made it. */
  static override isInstance(value: unknown): value is ExportBundle {
    return isResourceOfDefinition(value, definition);
  }

  constructor(name: string, args: ExportBundleArgs, opts?: pulumi.CustomResourceOptions) {
    const resumeStackTraces = pauseStackTraces();
    try {
      super(...createRegistrationArgs(definition, name, args, opts));
    } finally {
      resumeStackTraces();
    }
  }
}
