import { describe, expect, it } from "vitest";
import type { StaticExportInputs, StaticExportState } from "../../../../provider/definitions/staticExport";
import { unknown } from "../../../../provider/definitions/values";
import { planned, unchanged } from "../../../support/decisions";
import { origin } from "../../../support/fakePlatform";

const state: StaticExportState = {
  jobId: "job-1",
  domain: "a.test",
  status: "completed",
  version: "job-1",
  triggers: { revision: "r1", nested: { b: [1, { c: 2 }], a: null } },
  __origin: origin,
};
const inputs: StaticExportInputs = { domain: "a.test", triggers: state.triggers };
const adopted: StaticExportState = { ...state, __adopted: true };
const any = unknown as unknown as string;

const outputs = ["jobId", "status", "version", "pageCount", "startedAt", "completedAt"];
const none = unchanged;
const assumes = (name: string) => ({ ...none, assumed: [name] });
const followed = {
  ...none,
  action: "update",
  changingOutputs: ["status", "pageCount", "completedAt", "startedAt"],
  continues: true,
};
const replaced = (...replaces: string[]) => ({ ...none, action: "replace", replaces, changingOutputs: outputs });
const because = (decision: object, reason: string) => ({ ...decision, reason });
const lost = because(replaced("jobId"), "export job job-1 failed: a new one replaces it");
const lookedAt = because(followed, "export job job-1 failed: it is checked again");
const waiting = because(
  { ...followed, continues: true },
  'export job job-1 was last seen "running": the run waits for it, and starts no new one',
);

const table: [string, Partial<StaticExportState>, Partial<StaticExportInputs>, object][] = [
  ["nothing changed", {}, {}, none],
  ["domain changed", {}, { domain: "b.test" }, replaced("domain")],
  ["domain not known yet", {}, { domain: any }, assumes("domain")],
  ["export options given", {}, { exportOptions: { format: "html" } }, replaced("exportOptions")],
  ["the same export options", { exportOptions: { a: { b: 1 } } }, { exportOptions: { a: { b: 1 } } }, none],
  ["export options changed", { exportOptions: { a: 1 } }, { exportOptions: { a: 2 } }, replaced("exportOptions")],
  ["export options removed", { exportOptions: { a: 1 } }, {}, replaced("exportOptions")],
  ["export options not known yet", {}, { exportOptions: unknown as never }, assumes("exportOptions")],
  [
    "triggers changed deep down",
    {},
    { triggers: { revision: "r1", nested: { b: [1, { c: 3 }], a: null } } },
    replaced("triggers"),
  ],
  ["triggers taken away", {}, { triggers: undefined }, replaced("triggers")],
  ["triggers given as null where there were none", { triggers: undefined }, { triggers: null }, none],
  ["triggers not known yet", {}, { triggers: any }, assumes("triggers")],
  ["triggers not known yet deep down", {}, { triggers: { revision: any, nested: 1 } }, assumes("triggers")],
  ["domain and triggers changed", {}, { domain: "b.test", triggers: 2 }, replaced("domain", "triggers")],
  ["the job held gets pinned", {}, { jobId: "job-1" }, none],
  ["another job is pinned", {}, { jobId: "job-2" }, replaced("jobId")],
  ["the job to pin is not known yet", {}, { jobId: any }, replaced("jobId")],
  ["the pin is taken away", adopted, {}, none],
  ["another job is pinned in place of an adopted one", adopted, { jobId: "job-2" }, replaced("jobId")],
  ["only waitTimeout changed", { waitTimeout: "30m" }, { waitTimeout: "45m" }, none],
  ["waitTimeout added", {}, { waitTimeout: "45m" }, none],
  ["waitTimeout taken away", { waitTimeout: "45m" }, {}, none],
  ["waitTimeout not known yet", {}, { waitTimeout: any }, none],
  ["the job is still running", { status: "running" }, {}, waiting],
  [
    "the job is still running, and its begin is known",
    { status: "running", startedAt: "2026-03-01T00:00:00.000Z" },
    {},
    { ...waiting, changingOutputs: followed.changingOutputs.slice(0, 3) },
  ],
  ["the job is still running, and domain changed", { status: "queued" }, { domain: "b.test" }, replaced("domain")],
  ["a job of ours failed", { status: "failed" }, {}, lost],
  [
    "a job of ours vanished",
    { status: "vanished" },
    {},
    { ...lost, reason: "the platform does not know export job job-1: a new one replaces it" },
  ],
  ["a job of ours failed, and gets pinned", { status: "failed" }, { jobId: "job-1" }, lost],
  ["an adopted job failed", { ...adopted, status: "failed" }, { jobId: "job-1" }, lookedAt],
  [
    "an adopted job vanished",
    { ...adopted, status: "vanished" },
    { jobId: "job-1" },
    { ...lookedAt, reason: "the platform does not know export job job-1: it is checked again" },
  ],
  ["an adopted job failed, and the pin is taken away", { ...adopted, status: "failed" }, {}, lookedAt],
];

describe("diff of a StaticExport", () => {
  it.each(table)("%s", (_, held, given, decision) => {
    expect(planned("StaticExport", { ...state, ...held }, { ...inputs, ...given }, 0)).toEqual(decision);
  });
});
