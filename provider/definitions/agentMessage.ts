import { projectIdAdvice } from "../settings/settingTable";
import { defineResource, journalEntryField, platformOriginField, type StateOf } from "./definition";
import { isPlainObject, isText, isTrue } from "./guards";
import {
  anyValueRule,
  booleanRule,
  createValidationRule,
  type InputsAcceptedBy,
  identifierRule,
  waitTimeoutField,
} from "./rules";

const isSource = (value: unknown): value is { repository: string; ref?: string } =>
  isPlainObject(value) && isText(value.repository) && (value.ref === undefined || isText(value.ref));

const notEmpty = "must be a string of at least one character";
const prompt = createValidationRule(isText, notEmpty, (value) => (value.length > 0 ? undefined : notEmpty));

export const agentMessageDefinition = defineResource({
  name: "AgentMessage",
  stateless: {
    as: "action",
    without: ["triggers"],
    description:
      "Sends a follow-up message to an agent's job. If `wait_for_completion` is set, it waits for the job and shows its progress. Each invocation sends a message; the resource of the same name sends only one.",
  },
  starts: true,
  fields: {
    jobId: { rule: identifierRule, required: true, onChange: "replace", inId: true },
    projectId: {
      rule: identifierRule,
      required: true,
      onChange: "replace",
      fill: (_, projectId) => projectId,
      advice: () => `give it here, or ${projectIdAdvice()}`,
    },
    prompt: { rule: prompt, required: true, onChange: "replace", label: true },
    status: { state: isText, optional: true },
    source: { state: isSource, optional: true },
    model: { state: isText, optional: true },
    prLink: { state: isText, optional: true },
    createdAt: { state: isText, optional: true },
    archivedAt: { state: isText, optional: true },
    triggers: { rule: anyValueRule, onChange: "replace", label: true },
    waitForCompletion: { rule: booleanRule, onChange: "update", default: false },
    waitTimeout: { ...waitTimeoutField, onChange: "update" },
    __origin: platformOriginField,
    // The time, by this machine's clock, at which the provider sent the message or began a later wait. A successful
    // wait removes this field. If the program does not wait, the platform's first answer about the agent job removes
    // this field.
    __unsettledSince: { state: isText, optional: true },
    // True if the platform has shown the agent job as active at least once after `__unsettledSince`. Otherwise, an end
    // of the agent job may belong to work before this message.
    __begun: { state: isTrue, optional: true },
    __entry: journalEntryField,
  },
});

export type AgentMessageInputs = InputsAcceptedBy<typeof agentMessageDefinition.fields>;
/** The state of a message. Times are ISO 8601 in UTC. */
export type AgentMessageState = StateOf<typeof agentMessageDefinition.fields>;
