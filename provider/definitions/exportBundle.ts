import { defineResource, platformOriginField, type StateOf } from "./definition";
import { isNumber, isText, isTrue } from "./guards";
import { booleanRule, durationRule, type InputsAcceptedBy, identifierRule, textRule } from "./rules";

export const exportBundleDefinition = defineResource({
  name: "ExportBundle",
  stateless: {
    as: "ephemeral",
    without: ["renewBefore"],
    description:
      "A presigned link to the bundle of a completed export job, for one run. No state and no plan contains it. Each plan and each apply that knows the job's id creates one, by one request. Terraform cannot renew it during a run.",
  },
  notImported:
    "each read would create a new link. Declare the resource with its jobId instead, which costs one request",
  fields: {
    jobId: { rule: identifierRule, required: true, onChange: "replace", inId: true, ofPlatform: "export job" },
    // The check sets the version to the job's id, so a preview of a renewal already knows the version.
    version: { rule: textRule, onChange: "update", fill: ({ jobId }) => jobId },
    bundleUrl: { state: isText, secret: true },
    expiresAt: { state: isText },
    issuedAt: { state: isText },
    renewBefore: { rule: durationRule({ zero: true }), onChange: "update", default: "10m" },
    verifyLink: { rule: booleanRule, onChange: "update", default: false },
    __origin: platformOriginField,
    // The time at which the link's signature ends, if it is earlier than `expiresAt`.
    __signatureEnd: { state: isText, optional: true },
    // True if the platform has returned the same link when the provider asked for a new one. Such a platform creates a
    // new link only after the old link has expired.
    __renewedAfterEnd: { state: isTrue, optional: true },
    // The platform's clock minus this machine's clock when the link was created, in milliseconds. The field is missing
    // if the clocks agreed.
    __clockOffset: { state: isNumber, optional: true },
  },
});

export type ExportBundleInputs = InputsAcceptedBy<typeof exportBundleDefinition.fields>;
/** The state of a link. Times are ISO 8601 in UTC, by the platform's clock. */
export type ExportBundleState = StateOf<typeof exportBundleDefinition.fields>;
