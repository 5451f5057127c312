import * as pulumi from "@pulumi/pulumi";
import { exportBundleDefinition as definition } from "../provider/definitions/exportBundle";
import { isOfKind, pauseStackTraces, registration } from "./resource";

/** The arguments of an {@link ExportBundle}. */
export interface ExportBundleArgs {
  /** Identifier of a completed job, usually `StaticExport.jobId`. A change replaces the link. */
  jobId: pulumi.Input<string>;
  /**
   * How long before its end the link is renewed, as a Go duration of zero or more. Never more than half of the link's
   * own life is used, so that a short-lived link is not renewed at every run. Default: `"10m"`.
   */
  renewBefore?: pulumi.Input<string> | undefined;
  /** The pin that goes into the Helm values. Default: the job id. */
  version?: pulumi.Input<string> | undefined;
  /**
   * Asks the storage for one byte of the bundle, without the key, whenever a link is minted and in a refresh. A link that
   * it refuses (403) is minted once more. Default: false.
   */
  verifyLink?: pulumi.Input<boolean> | undefined;
}

/**
 * A presigned link to the bundle of a completed job ("Generate export bundle" in the API text). `pulumi up` renews it
 * in place once less than `renewBefore` of its life is left: for the same job, by exactly one request, and nothing else
 * of the stack changes. A `refresh` renews it as well.
 */
export class ExportBundle extends pulumi.CustomResource {
  /** The presigned link to the archive. Secret: stored encrypted, never printed. */
  declare readonly bundleUrl: pulumi.Output<string>;
  /** The end of the link in the platform's answer; ISO 8601 in UTC. */
  declare readonly expiresAt: pulumi.Output<string>;
  /** When the platform created the link, by the platform's clock; ISO 8601 in UTC. */
  declare readonly issuedAt: pulumi.Output<string>;
  /** Identifier of the job. */
  declare readonly jobId: pulumi.Output<string>;
  /** The pin for reproducible rollouts: the input, otherwise the job id. */
  declare readonly version: pulumi.Output<string>;

  /** True for an ExportBundle, also of another copy of this package. */
  static override isInstance(value: unknown): value is ExportBundle {
    return isOfKind(value, definition);
  }

  constructor(name: string, args: ExportBundleArgs, opts?: pulumi.CustomResourceOptions) {
    const resumeStackTraces = pauseStackTraces();
    try {
      super(...registration(definition, name, args, opts));
    } finally {
      resumeStackTraces();
    }
  }
}
