import * as pulumi from "@pulumi/pulumi";
import { staticExportDefinition as definition } from "../provider/definitions/staticExport";
import { isOfKind, pauseStackTraces, registration } from "./resource";

/** The arguments of a {@link StaticExport}. */
export interface StaticExportArgs {
  /**
   * Domain of the deployment to export: a bare host name, such as `docs.example.com`, without scheme, port or path.
   * A change starts a new job. With `jobId` it is a label.
   */
  domain: pulumi.Input<string>;
  /**
   * Any JSON value. A change of it (deeply compared with the value at creation) starts a new job; a content revision is
   * the usual one. Default: none.
   */
  triggers?: pulumi.Input<unknown> | undefined;
  /**
   * More fields of the start request, sent as they are beside `domain` ("Other body fields: not shown" in the API text): a
   * JSON object. What is secret in it stays secret. A change of it (deeply compared with the value at creation) starts a new
   * job. With `jobId` it is a label. Default: none.
   */
  exportOptions?: pulumi.Input<unknown> | undefined;
  /**
   * Adopts this job and starts none: to take over a job that runs already, to pin a rollout to it, or to go back to an
   * older one. Removing this input keeps the current job. Default: none, a job is started.
   */
  jobId?: pulumi.Input<string> | undefined;
  /**
   * How long a run waits for the job, as a Go duration above zero (`"90s"`, `"1h30m"`). When it ends, the job stays in
   * the state and the next `pulumi up` continues to wait for it. Default: `"30m"`.
   */
  waitTimeout?: pulumi.Input<string> | undefined;
}

/**
 * A static export of a site: an asynchronous job that pre-renders it into self-contained files ("Static export" in the
 * API text). `pulumi up` starts the job and waits until it is completed. If a wait ends early, the job stays in the state
 * and the next run continues with it. After a kill, the journal names the job. If the answer to a start was lost, the next
 * run sends nothing and asks what to do (`DOCS_AMBIGUOUS_START`). `pulumi destroy` only forgets the job, since the API has
 * no delete.
 */
export class StaticExport extends pulumi.CustomResource {
  /** Identifier of the job. */
  declare readonly jobId: pulumi.Output<string>;
  /** The domain, as given. */
  declare readonly domain: pulumi.Output<string>;
  /** `completed`, or in a failed run the last status seen. */
  declare readonly status: pulumi.Output<string>;
  /** The pin for reproducible rollouts: the job id. */
  declare readonly version: pulumi.Output<string>;
  /** Number of pages, if the platform reported it. */
  declare readonly pageCount: pulumi.Output<number | undefined>;
  /** When the job started, ISO 8601 in UTC; undefined for an adopted job without this time. */
  declare readonly startedAt: pulumi.Output<string | undefined>;
  /** When the job was completed, or seen to be, ISO 8601 in UTC; undefined for an adopted job without this time. */
  declare readonly completedAt: pulumi.Output<string | undefined>;

  /**
   * Looks an existing job up by its id. It knows only what the API returns, costs one GET in each pass, and is never
   * waited for.
   */
  static get(name: string, id: pulumi.Input<pulumi.ID>, opts?: pulumi.CustomResourceOptions): StaticExport {
    return new StaticExport(name, undefined, { ...opts, id });
  }

  /** True for a StaticExport, also of another copy of this package. */
  static override isInstance(value: unknown): value is StaticExport {
    return isOfKind(value, definition);
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
      super(...registration(definition, name, args, opts));
    } finally {
      resumeStackTraces();
    }
  }
}
