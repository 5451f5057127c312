import { defineResource, platformOrigin, type StateOf } from "./definition";
import { isNumber, isText, isTrue } from "./guards";
import { booleanRule, duration, type InputsOf, identifier, textRule } from "./rules";

export const exportBundleDefinition = defineResource({
  name: "ExportBundle",
  stateless: {
    as: "ephemeral",
    without: ["renewBefore"],
    description:
      "A presigned link to the bundle of a completed export job, for one run: it lies in no state and in no plan. Each plan and each apply that knows the job's id mints one, with one request. Terraform has no way to hand out a newer one while it runs.",
  },
  notImported:
    "each read would create a new link. Declare the resource with its jobId instead, which costs one request",
  fields: {
    jobId: { rule: identifier, required: true, onChange: "replace", inId: true, ofPlatform: "export job" },
    // The version is copied into the inputs, so that a preview knows it while it shows the renewal of the link.
    version: { rule: textRule, onChange: "update", fill: ({ jobId }) => jobId },
    bundleUrl: { state: isText, secret: true },
    expiresAt: { state: isText },
    issuedAt: { state: isText },
    renewBefore: { rule: duration({ zero: true }), onChange: "update", default: "10m" },
    verifyLink: { rule: booleanRule, onChange: "update", default: false },
    __origin: platformOrigin,
    // The signature's own end, if the link shows one that comes before `expiresAt`.
    __signatureEnd: { state: isText, optional: true },
    // The platform has returned this link again before its end: it mints a fresh one only after that.
    __renewedAfterEnd: { state: isTrue, optional: true },
    // The platform's clock minus this machine's at the last mint, in milliseconds; missing if they agreed.
    __clockOffset: { state: isNumber, optional: true },
  },
});

export type ExportBundleInputs = InputsOf<typeof exportBundleDefinition.fields>;
/** The state of a link. Times are ISO 8601 in UTC, by the platform's clock. */
export type ExportBundleState = StateOf<typeof exportBundleDefinition.fields>;
