import { projectIdAdvice } from "../settings/settingTable";
import { defineResource, type StateOf } from "./definition";
import { isObjectOf, isText, isTrue } from "./guards";
import { anything, booleanRule, type InputsOf, identifier, ruleFor, waitTimeout } from "./rules";

const notEmpty = "must be a string of at least one character";
const prompt = ruleFor(isText, notEmpty, (value) => (value.length > 0 ? undefined : notEmpty));

export const agentMessageDefinition = defineResource({
  name: "AgentMessage",
  starts: true,
  fields: {
    jobId: { rule: identifier, required: true, onChange: "replace", inId: true, foundById: true },
    projectId: {
      rule: identifier,
      required: true,
      onChange: "replace",
      foundById: true,
      fill: (_, projectId) => projectId,
      advice: () => `give it here, or ${projectIdAdvice()}`,
    },
    prompt: { rule: prompt, required: true, onChange: "replace", label: true },
    status: { state: isText, optional: true },
    source: { state: isObjectOf({ repository: isText }, { ref: isText }), optional: true },
    model: { state: isText, optional: true },
    prLink: { state: isText, optional: true },
    createdAt: { state: isText, optional: true },
    archivedAt: { state: isText, optional: true },
    triggers: { rule: anything, onChange: "replace", label: true },
    waitForCompletion: { rule: booleanRule, onChange: "update", default: false },
    waitTimeout: { ...waitTimeout, onChange: "update" },
    // The origin of the platform that has the job. At another base URL the job's id means nothing.
    __origin: { state: isText },
    // `Unsettled` as the state keeps it.
    __unsettledSince: { state: isText, optional: true },
    __begun: { state: isTrue, optional: true },
    // The name of the journal entry that may still be about this message.
    __entry: { state: isText, optional: true },
  },
});

export type AgentMessageInputs = InputsOf<typeof agentMessageDefinition.fields>;
/** The state of a message. Times are ISO 8601 in UTC. */
export type AgentMessageState = StateOf<typeof agentMessageDefinition.fields>;
