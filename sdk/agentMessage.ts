import * as pulumi from "@pulumi/pulumi";
import { agentMessageDefinition as definition } from "../provider/definitions/agentMessage";
import { isOfKind, pauseStackTraces, registration } from "./resource";

/** The arguments of an {@link AgentMessage}. */
export interface AgentMessageArgs {
  /** Identifier of the agent job that receives the message. A change sends a new message. */
  jobId: pulumi.Input<string>;
  /** The follow-up instruction for the agent, of at least one character. A change sends a new message. */
  prompt: pulumi.Input<string>;
  /** Identifier of the project. A change sends a new message. Default: the setting `projectId`. */
  projectId?: pulumi.Input<string> | undefined;
  /** Any JSON value. A change of it (deeply compared) sends the message again. Default: none. */
  triggers?: pulumi.Input<unknown> | undefined;
  /**
   * Waits until the agent is done: the job `completed`, `archived` or `failed`, of which the last is an error. A change
   * sends nothing. Default: false, the run does not wait for the result.
   */
  waitForCompletion?: pulumi.Input<boolean> | undefined;
  /**
   * How long a run waits, for the agent and for the hourly limit, as a Go duration above zero. When it ends, the next
   * `pulumi up` continues to wait, and sends nothing. Default: `"30m"`.
   */
  waitTimeout?: pulumi.Input<string> | undefined;
}

/**
 * A follow-up message to an AI agent's job ("Send a follow-up message to an agent job" in the API text). It is sent once,
 * when the resource is created, and never again unless the program changes it: not by a refresh, and not after a
 * failure that leaves open whether it arrived. The platform takes 100 messages an hour for each project. The API has no
 * way to take a message back, so that `pulumi destroy` only forgets it.
 */
export class AgentMessage extends pulumi.CustomResource {
  /** State of the job: `active`, `completed`, `archived` or `failed`; without `waitForCompletion` as it was at the last look. */
  declare readonly status: pulumi.Output<string>;
  /** Source repository: its full URL, and the branch that the agent works on, where there is one. */
  declare readonly source: pulumi.Output<AgentJobSource>;
  /** The AI model used for the job. */
  declare readonly model: pulumi.Output<string>;
  /** URL of the agent's pull request; undefined while the job is active, or when no file was changed. */
  declare readonly prLink: pulumi.Output<string | undefined>;
  /** When the job was created, ISO 8601 in UTC. */
  declare readonly createdAt: pulumi.Output<string>;
  /** When the job was archived, ISO 8601 in UTC; undefined where it was not. */
  declare readonly archivedAt: pulumi.Output<string | undefined>;

  /**
   * Looks the job of a message up, by the message's id or the job's; the project is the setting `projectId`. It knows
   * only what the API returns, costs one GET in each pass, and sends nothing.
   */
  static get(name: string, id: pulumi.Input<pulumi.ID>, opts?: pulumi.CustomResourceOptions): AgentMessage {
    return new AgentMessage(name, undefined, { ...opts, id });
  }

  /** True for an AgentMessage, also of another copy of this package. */
  static override isInstance(value: unknown): value is AgentMessage {
    return isOfKind(value, definition);
  }

  constructor(name: string, args: AgentMessageArgs, opts?: pulumi.CustomResourceOptions);
  /** @internal */
  constructor(
    name: string,
    args: AgentMessageArgs | undefined,
    opts: pulumi.CustomResourceOptions & { id: pulumi.Input<pulumi.ID> },
  );
  constructor(name: string, args: AgentMessageArgs | undefined, opts?: pulumi.CustomResourceOptions) {
    const resumeStackTraces = pauseStackTraces();
    try {
      super(...registration(definition, name, args, opts));
    } finally {
      resumeStackTraces();
    }
  }
}

/** Source repository information of an agent job. */
export interface AgentJobSource {
  /** Full URL of the source code repository. */
  repository: string;
  /** Git branch the agent works on. */
  ref?: string;
}
