import * as pulumi from "@pulumi/pulumi";
import { agentMessageDefinition as definition } from "../provider/definitions/agentMessage";
import { createRegistrationArgs, isResourceOfDefinition, pauseStackTraces } from "./resource";

/** The arguments of an {@link AgentMessage}. */
export interface AgentMessageArgs {
  /** Identifier of the agent job that receives the message. A change sends a new message. */
  jobId: pulumi.Input<string>;
  /** The instruction for the agent: at least one character. A change sends a new message. */
  prompt: pulumi.Input<string>;
  /** Identifier of the project. A change sends a new message. Default: the setting `projectId`. */
  projectId?: pulumi.Input<string> | undefined;
  /** Any JSON value. The provider compares it deeply: a change sends the message again. Default: none. */
  triggers?: pulumi.Input<unknown> | undefined;
  /**
   * If true, the run waits until the agent's job is `completed`, `archived` or `failed`; `failed` is an error. A change sends
   * nothing. Default: false.
   */
  waitForCompletion?: pulumi.Input<boolean> | undefined;
  /**
   * How long a run waits for the agent and for the hourly limit, as a Go duration above zero. If the agent has not
   * finished by then, the next `pulumi up` waits again, and sends no second message. Default: `"30m"`.
   */
  waitTimeout?: pulumi.Input<string> | undefined;
}

/**
 * A follow-up message to an AI agent's job ("Send a follow-up message to an agent job" in the API text). The provider
 * sends the message once, when it creates the resource. It sends the message again only if the program changes it: not
 * by a refresh, and not after a lost answer. The platform accepts 100 messages an hour for each project. `pulumi
 * destroy` only removes the message from the state, because the API cannot withdraw it.
 */
export class AgentMessage extends pulumi.CustomResource {
  /**
   * Status of the job: `active`, `completed`, `archived` or `failed`. Without `waitForCompletion`, it is the status
   * when the provider last read the job.
   */
  declare readonly status: pulumi.Output<string>;
  /** Source repository: its full URL and, if there is one, the branch that the agent works on. */
  declare readonly source: pulumi.Output<AgentJobSource>;
  /** The AI model used for the job. */
  declare readonly model: pulumi.Output<string>;
  /** URL of the agent's pull request; undefined while the job is active, or if no file was changed. */
  declare readonly prLink: pulumi.Output<string | undefined>;
  /** When the job was created, ISO 8601 in UTC. */
  declare readonly createdAt: pulumi.Output<string>;
  /** When the job was archived, ISO 8601 in UTC; undefined if it is not archived. */
  declare readonly archivedAt: pulumi.Output<string | undefined>;

  /**
   * Looks up the job of a message, by the id of the message or of the job, in the project of the setting `projectId`.
   * The result has only the values that the API returns. It costs one GET in each preview and one in each update, and
   * sends no message.
   */
  static get(name: string, id: pulumi.Input<pulumi.ID>, opts?: pulumi.CustomResourceOptions): AgentMessage {
    return new AgentMessage(name, undefined, { ...opts, id });
  }

  /** Returns true for an AgentMessage, also if another copy of this package has made it. */
  static override isInstance(value: unknown): value is AgentMessage {
    return isResourceOfDefinition(value, definition);
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
      super(...createRegistrationArgs(definition, name, args, opts));
    } finally {
      resumeStackTraces();
    }
  }
}

/** Source repository information of an agent job. */
export interface AgentJobSource {
  /** Full URL of the source code repository. */
  repository: string;
  /** Git branch that the agent works on. */
  ref?: string;
}
