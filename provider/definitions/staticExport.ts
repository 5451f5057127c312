import { defineResource, journalEntry, platformOrigin, type StateOf } from "./definition";
import { isFields, isNumber, isText, isTrue } from "./guards";
import { anything, hostName, type InputsOf, identifier, ruleFor, waitTimeout } from "./rules";

const exportOptions = ruleFor(isFields, "must be an object", (value) =>
  Object.hasOwn(value, "domain") ? "must not contain domain, which is a separate input" : undefined,
);

// A preview counts an unknown domain, unknown triggers and unknown options as unchanged, because they usually are, and an
// export is expensive.
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
    // As an input: the job to adopt. Otherwise an output: the started job.
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
    // Missing only for a job of another tool, before the first look at it.
    __origin: { ...platformOrigin, optional: true },
    // True if the program named the job: then the provider never replaces it by a job of its own.
    __adopted: { state: isTrue, optional: true },
    // When the platform accepted the job, by the clock of the machine that started it. Removed after the job is completed.
    __acceptedAt: { state: isText, optional: true },
    __entry: journalEntry,
  },
});

export type StaticExportInputs = InputsOf<typeof staticExportDefinition.fields>;
/** The state of an export. Times are ISO 8601 in UTC. */
export type StaticExportState = StateOf<typeof staticExportDefinition.fields>;
