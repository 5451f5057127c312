import { defineResource, journalEntryField, platformOriginField, type StateOf } from "./definition";
import { isNumber, isPlainObject, isText, isTrue } from "./guards";
import {
  anyValueRule,
  createValidationRule,
  hostNameRule,
  type InputsAcceptedBy,
  identifierRule,
  waitTimeoutField,
} from "./rules";

const exportOptions = createValidationRule(isPlainObject, "must be an object", (value) =>
  Object.hasOwn(value, "domain") ? "must not contain domain, which is a separate input" : undefined,
);

// If the domain, the triggers or the options are unknown in a preview, the preview assumes that they do not change.
// Usually they do not change, and a replacement would start an expensive export.
export const staticExportDefinition = defineResource({
  name: "StaticExport",
  kept: "export job",
  stateless: {
    as: "action",
    without: ["triggers", "jobId"],
    description:
      "Starts a static export job, waits until it is completed, and shows its progress. Each invocation starts a job. The last line of the progress has the job's id, and no state keeps it; the resource of the same name does.",
  },
  starts: true,
  fields: {
    // The input is the id of the job to adopt. Without the input, the output is the id of the job that was started.
    jobId: {
      rule: identifierRule,
      onChange: "replace",
      staysWhenRemoved: "Changed triggers start a new one",
      inId: true,
      state: isText,
    },
    domain: { rule: hostNameRule, required: true, onChange: "replace", assumed: true, label: true },
    status: { state: isText },
    version: { state: isText, copyOf: "jobId" },
    pageCount: { state: isNumber, optional: true },
    startedAt: { state: isText, optional: true },
    completedAt: { state: isText, optional: true },
    triggers: { rule: anyValueRule, onChange: "replace", assumed: true, label: true },
    exportOptions: { rule: exportOptions, onChange: "replace", assumed: true, label: true },
    waitTimeout: { ...waitTimeoutField, onChange: "none" },
    // An old version of this package could take a job over from another provider. The state of such a job lacks this
    // field. The first read adds the field.
    __origin: { ...platformOriginField, optional: true },
    // True if the program gave the job's id. The provider then never starts a job to replace it.
    __adopted: { state: isTrue, optional: true },
    // The time at which the platform accepted the job, by the clock of the machine that started the job. This field is
    // removed after the job is completed.
    __acceptedAt: { state: isText, optional: true },
    __entry: journalEntryField,
  },
});

export type StaticExportInputs = InputsAcceptedBy<typeof staticExportDefinition.fields>;
/** The state of an export. Times are ISO 8601 in UTC. */
export type StaticExportState = StateOf<typeof staticExportDefinition.fields>;
