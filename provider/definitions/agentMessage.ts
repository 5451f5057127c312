import type { AgentMessageState } from "../resources/agentJob";
import { type AgentMessageInputs, agentMessage as lifecycle } from "../resources/agentMessage";
import { defaultWaitTimeout } from "../resources/waitLimit";
import { projectIdAdvice } from "../settings/settingTable";
import { defineResource } from "./definition";
import { anything, booleanRule, duration, identifier, type Rule } from "./rules";
import { isAnything, isBoolean, isObjectOf, isText, isTrue, optional, required } from "./shape";

type Source = NonNullable<AgentMessageState["source"]>;

const prompt: Rule<string> = (value) =>
  typeof value === "string" && value.length > 0 ? undefined : "must be a string of at least one character";

export const agentMessage = defineResource<AgentMessageInputs, AgentMessageState>({
  name: "AgentMessage",
  inputs: {
    jobId: { rule: identifier, required: true, onChange: "replace" },
    prompt: { rule: prompt, required: true, onChange: "replace" },
    projectId: {
      rule: identifier,
      required: true,
      onChange: "replace",
      fill: (_, projectId) => projectId,
      advice: () => `give it here, or ${projectIdAdvice()}`,
    },
    triggers: { rule: anything, onChange: "replace" },
    waitForCompletion: { rule: booleanRule, onChange: "update", default: false },
    waitTimeout: { rule: duration({ zero: false }), onChange: "update", default: defaultWaitTimeout },
  },
  outputs: ["status", "source", "model", "prLink", "createdAt", "archivedAt"],
  identity: ["jobId"],
  labels: ["prompt", "triggers"],
  importedInputs: ["jobId", "projectId"],
  state: {
    jobId: required(isText),
    projectId: required(isText),
    prompt: optional(isText),
    status: optional(isText),
    source: optional(isObjectOf<Source>({ repository: required(isText), ref: optional(isText) })),
    model: optional(isText),
    prLink: optional(isText),
    createdAt: optional(isText),
    archivedAt: optional(isText),
    triggers: optional(isAnything),
    waitForCompletion: optional(isBoolean),
    waitTimeout: optional(isText),
    __origin: required(isText),
    __unsettledSince: optional(isText),
    __begun: optional(isTrue),
    __entry: optional(isText),
  },
  lifecycle,
});
