import { DiffResponse, PropertyDiff } from "@pulumi/pulumi/proto/provider_pb";
import { expect, it } from "vitest";
import { pluginMethods } from "../../../../../provider/hosts/plugin/messages";
import { diffResponse } from "../../../../../provider/hosts/plugin/responses";

const { ADD, ADD_REPLACE, DELETE, DELETE_REPLACE, UPDATE, UPDATE_REPLACE } = PropertyDiff.Kind;

const oldInputs = { domain: "a.example.com", jobId: "job-1", waitTimeout: "1m" };
const newInputs = { domain: "b.example.com", triggers: "2", waitTimeout: "1m" };

it.each([
  ["update", [], { domain: UPDATE, jobId: DELETE, triggers: ADD }, ["waitTimeout", "version"]],
  [
    "replace",
    ["domain", "jobId", "triggers"],
    { domain: UPDATE_REPLACE, jobId: DELETE_REPLACE, triggers: ADD_REPLACE },
    [],
  ],
] as const)(
  "a diff shows of each input how it changes, and what stays, in a plan to %s",
  (action, replaces, kinds, stays) => {
    const plan = { action, replaces: [...replaces], changingOutputs: ["status"], assumed: [], continues: false };
    const outputs = ["status", "version"];
    const encoded = pluginMethods.Diff.response.encode(diffResponse(plan, oldInputs, newInputs, outputs));
    const response = DiffResponse.deserializeBinary(encoded);
    const told = response.getDetaileddiffMap().toObject(false, (_, property: PropertyDiff) => property.getKind());
    expect(Object.fromEntries(told)).toEqual(kinds);
    expect(response.getStablesList()).toEqual(stays);
  },
);
