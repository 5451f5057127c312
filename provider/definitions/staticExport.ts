import { defineResource, journalEntry, platformOrigin, type StateOf } from "./definition";
import { isFields, isNumber, isText, isTrue } from "./guards";
import { anything, hostName, type InputsOf, identifier, ruleFor, waitTimeout } from "./rules";

const exportOptions = ruleFor(isFields, "must be an object", (value) =>
  Object.hasOwn(value, "domain") ? "must not contain domain, which is a separate input" : undefined,
);

// A preview that does not know the domain or the triggers takes them for unchanged: an export is too expensive to be shown, or
// begun, for values that may well stay as they are.
export const staticExportDefinition = defineResource({
  name: "StaticExport",
  kept: "export job",
  stateless: {
    as: "action",
    without: ["triggers", "jobId"],
    description:
      "Starts a static export job and waits until it is completed; its progress is shown. Each invocation starts a job, whose id is in the last line of the progress: nothing keeps it. The resource of the same name does.",
  },
  starts: true,
  fields: {
    // The job to adopt. Without it a job is started, and this is an output.
    jobId: {
      rule: identifier,
      onChange: "replace",
      staysWhenRemoved: "Changed triggers start a new one",
      inId: true,
      state: isText,
    },
    domain: { rule: hostName, required: true, onChange: "replace", assumed: true, label: true },
    status: { state: isText },
    version: { state: isText, copyOf: "jobId" },
    pageCount: { state: isNumber, optional: true },
    startedAt: { state: isText, optional: true },
    completedAt: { state: isText, optional: true },
    triggers: { rule: anything, onChange: "replace", assumed: true, label: true },
    exportOptions: { rule: exportOptions, onChange: "replace", assumed: true, label: true },
    waitTimeout: { ...waitTimeout, onChange: "none" },
    // Missing only before the first look at a job that another tool has managed so far.
    __origin: { ...platformOrigin, optional: true },
    // The program named the job. It is never replaced by a job of our own.
    __adopted: { state: isTrue, optional: true },
    // The time at which the platform accepted the job, by the clock of the machine that started it. Missing after the
    // job is completed.
    __acceptedAt: { state: isText, optional: true },
    __entry: journalEntry,
  },
});

export type StaticExportInputs = InputsOf<typeof staticExportDefinition.fields>;
/** The state of an export. Times are ISO 8601 in UTC. */
export type StaticExportState = StateOf<typeof staticExportDefinition.fields>;
