import type { ExportState } from "../resources/exportJob";
import { staticExport as lifecycle, type StaticExportInputs } from "../resources/staticExport";
import { defaultWaitTimeout } from "../resources/waitLimit";
import { defineResource } from "./definition";
import { anything, duration, exportOptions, hostName, identifier } from "./rules";
import { isAnything, isFields, isNumber, isText, isTrue, optional, required } from "./shape";

export const staticExport = defineResource<StaticExportInputs, ExportState>({
  name: "StaticExport",
  kept: "export job",
  inputs: {
    // An export is too dear to be shown, or begun, where its domain and triggers may well stay as they are.
    domain: { rule: hostName, required: true, onChange: "replace", assumed: true },
    triggers: { rule: anything, onChange: "replace", assumed: true },
    exportOptions: { rule: exportOptions, onChange: "replace", assumed: true },
    jobId: { rule: identifier, onChange: "replace", staysWhenRemoved: true },
    waitTimeout: { rule: duration({ zero: false }), onChange: "none", default: defaultWaitTimeout },
  },
  copies: { version: "jobId" },
  outputs: ["jobId", "status", "version", "pageCount", "startedAt", "completedAt"],
  identity: ["jobId"],
  labels: ["domain", "triggers", "exportOptions"],
  importedInputs: ["domain"],
  state: {
    jobId: required(isText),
    domain: optional(isText),
    status: required(isText),
    version: required(isText),
    pageCount: optional(isNumber),
    startedAt: optional(isText),
    completedAt: optional(isText),
    triggers: optional(isAnything),
    exportOptions: optional(isFields),
    waitTimeout: optional(isText),
    __origin: required(isText),
    __adopted: optional(isTrue),
    __acceptedAt: optional(isText),
    __entry: optional(isText),
  },
  lifecycle,
});
