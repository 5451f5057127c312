import {
  defaultRenewBefore,
  type ExportBundleInputs,
  type ExportBundleState,
  exportBundle as lifecycle,
} from "../resources/exportBundle";
import { defineResource } from "./definition";
import { booleanRule, duration, identifier, text } from "./rules";
import { isBoolean, isListOf, isNumber, isObjectOf, isText, isTrue, optional, required } from "./shape";

export const exportBundle = defineResource<ExportBundleInputs, ExportBundleState>({
  name: "ExportBundle",
  inputs: {
    jobId: { rule: identifier, required: true, onChange: "replace" },
    renewBefore: { rule: duration({ zero: true }), onChange: "update", default: defaultRenewBefore },
    // As an input it stays known while a preview shows the renewal of the link.
    version: { rule: text, onChange: "update", fill: ({ jobId }) => jobId },
    verifyLink: { rule: booleanRule, onChange: "update", default: false },
  },
  outputs: ["bundleUrl", "expiresAt", "issuedAt"],
  secrets: ["bundleUrl"],
  identity: ["jobId"],
  notImported:
    "each read would create a new link. Declare the resource with its jobId instead, which costs one request",
  state: {
    jobId: required(isText),
    version: required(isText),
    bundleUrl: required(isText),
    expiresAt: required(isText),
    issuedAt: required(isText),
    renewBefore: optional(isText),
    verifyLink: optional(isBoolean),
    __origin: required(isText),
    __signatureEnd: optional(isText),
    __renewedAfterEnd: optional(isTrue),
    __clocks: optional(isListOf(isObjectOf({ machine: required(isText), offset: required(isNumber) }))),
  },
  lifecycle,
});
