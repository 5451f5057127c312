import * as pulumi from "@pulumi/pulumi";
import { staticExportDefinition as definition } from "../provider/definitions/staticExport";
import { createRegistrationArgs, isResourceOfDefinition, pauseStackTraces } from "./resource";

/** The arguments of a {@link StaticExport}. */
export interface StaticExportArgs {
  /**
   * Domain of the deployment to export: a bare host name, such as `docs.example.com`, without scheme, port or path. A
   * change starts a new job. With `jobId`, no job starts, but the run fails if the platform reports another domain for
   * that job.
   */
  domain: pulumi.Input<string>;
  /**
   * Any JSON value, such as a revision of the content. The provider compares it deeply with the value at creation: a change
   * starts a new job. Default: none.
   */
  triggers?: pulumi.Input<unknown> | undefined;
  /**
   * A JSON object with more fields of the start request, beside `domain` ("Other body fields: not shown" in the API
   * text). Secrets in it stay secret. The provider compares it deeply with the value at creation: a change starts a new
   * job. With `jobId`, the object is not sent. Default: none.
   */
  exportOptions?: pulumi.Input<unknown> | undefined;
  /**
   * Adopts this job and starts none. Use it for a job that already runs, to pin a rollout, or to go back to an older job.
   * Removing this input keeps the current job. Default: none, and the run starts a job.
   */
  jobId?: pulumi.Input<string> | undefined;
  /**
   * How long a run waits for the job, as a Go duration above zero (`"90s"`, `"1h30m"`). If the job is not completed by
   * then, the state keeps it, and the next `pulumi up` waits for it again. Default: `"30m"`.
   */
  waitTimeout?: pulumi.Input<string> | undefined;
}

/**
 * A static export of a site: a job of the platform that renders the site into files ("Static export" in the API text).
 * `pulumi up` starts the job and waits until it is completed. If the wait ends early, the state keeps the job, and the next
 * run continues with it. After a kill, the next run finds the job in the journal. If the answer to a start was lost, the
 * next run sends nothing and asks you what to do (`DOCS_AMBIGUOUS_START`). `pulumi destroy` only removes the job from the
 * state, because the API has no delete.
 */
export class StaticExport extends pulumi.CustomResource {
  /** Identifier of the job. */
  declare readonly jobId: pulumi.Output<string>;
  /** The input `domain`. */
  declare readonly domain: pulumi.Output<string>;
  /** `completed`; after a failed run the last status that the provider saw. */
  declare readonly status: pulumi.Output<string>;
  /** The pin for reproducible rollouts: the job id. */
  declare readonly version: pulumi.Output<string>;
  /** Number of pages; undefined if the platform has not reported it. */
  declare readonly pageCount: pulumi.Output<number | undefined>;
  /** When the job started, ISO 8601 in UTC; undefined for an adopted job if the platform does not return this time. */
  declare readonly startedAt: pulumi.Output<string | undefined>;
  /**
   * When the job was completed, ISO 8601 in UTC. If the platform does not return this time, the value is the time when
   * the provider saw the completion, or undefined for an adopted job.
   */
  declare readonly completedAt: pulumi.Output<string | undefined>;

  /**
   * Looks up an existing job by its id. The result has only the values that the API returns. It costs one GET in each
   * preview and one in each update, and the run does not wait for the job.
   */
  static get(name: string, id: pulumi.Input<pulumi.ID>, opts?: pulumi.CustomResourceOptions): StaticExport {
    return new StaticExport(name, undefined, { ...opts, id });
  }

  /** Returns true for a StaticExport, also if another copy of this package has made it. */
  static override isInstance(value: unknown): value is StaticExport {
    return isResourceOfDefinition(value, definition);
  }

  constructor(name: string, args: StaticExportArgs, opts?: pulumi.CustomResourceOptions);
  /** @internal */
  constructor(
    name: string,
    args: StaticExportArgs | undefined,
    opts: pulumi.CustomResourceOptions & { id: pulumi.Input<pulumi.ID> },
  );
  constructor(name: string, args: StaticExportArgs | undefined, opts?: pulumi.CustomResourceOptions) {
    const resumeStackTraces = pauseStackTraces();
    try {
      super(...createRegistrationArgs(definition, name, args, opts));
    } finally {
      resumeStackTraces();
    }
  }
}
