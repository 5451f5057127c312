import { describe, expect, it } from "vitest";
import {
  type ExportBundleInputs,
  type ExportBundleState,
  exportBundle,
} from "../../../provider/resources/exportBundle";
import { unknown } from "../../../provider/resources/lifecycle";
import { origin } from "../../support/fakePlatform";

const issued = Date.parse("2026-03-01T00:00:00.000Z");
const minute = 60_000;
const hour = 60 * minute;

const state: ExportBundleState = {
  jobId: "job-1",
  version: "job-1",
  bundleUrl: "https://files.test/x?sig=1",
  issuedAt: new Date(issued).toISOString(),
  expiresAt: new Date(issued + hour).toISOString(),
  __origin: origin,
};
const inputs: ExportBundleInputs = { jobId: "job-1", version: "job-1" };
const any = unknown as unknown as string;
const at = (time: number) => new Date(issued + time).toISOString();

type Row = [string, Partial<ExportBundleState>, Partial<ExportBundleInputs>, number, boolean];

const updates: Row[] = [
  ["just minted", {}, {}, 0, false],
  ["a moment before the margin of 10 minutes", {}, {}, 50 * minute - 1, false],
  ["inside the margin", {}, {}, 50 * minute, true],
  ["expired", {}, {}, hour, true],
  ["long expired", {}, {}, 1_000 * hour, true],
  ["a clock before the mint", {}, {}, -hour, false],
  ["a link of 10 minutes, in its first half", { expiresAt: at(10 * minute) }, {}, 5 * minute - 1, false],
  ["a link of 10 minutes, in its second half", { expiresAt: at(10 * minute) }, {}, 5 * minute, true],
  ["a link of a second, in its first half", { expiresAt: at(1_000) }, {}, 499, false],
  ["renewBefore 0, a moment before the end", { renewBefore: "0" }, { renewBefore: "0" }, hour - 1, false],
  ["renewBefore 0, at the end", { renewBefore: "0" }, { renewBefore: "0" }, hour, true],
  ["renewBefore 20m, inside it", { renewBefore: "20m" }, { renewBefore: "20m" }, 40 * minute, true],
  ["renewBefore 20m, before it", { renewBefore: "20m" }, { renewBefore: "20m" }, 40 * minute - 1, false],
  ["only renewBefore changed", {}, { renewBefore: "20m" }, 0, true],
  ["renewBefore taken away", { renewBefore: "20m" }, {}, 0, true],
  ["renewBefore not known yet", {}, { renewBefore: any }, 0, false],
  ["renewBefore not known yet, inside the default margin", {}, { renewBefore: any }, 51 * minute, true],
  ["only version changed", {}, { version: "v2" }, 0, true],
  ["version not known yet", {}, { version: any }, 0, false],
  ["the signature ends earlier, before its margin", { __signatureEnd: at(30 * minute) }, {}, 20 * minute - 1, false],
  ["the signature ends earlier, inside its margin", { __signatureEnd: at(30 * minute) }, {}, 20 * minute, true],
  ["this clock is an hour slow, by its own time just minted", { __clockOffset: hour }, {}, -hour, false],
  ["this clock is an hour slow, inside the margin", { __clockOffset: hour }, {}, -hour + 50 * minute, true],
  ["this clock is an hour fast, by its own time expired", { __clockOffset: -hour }, {}, hour, false],
  ["this clock is an hour fast, inside the margin", { __clockOffset: -hour }, {}, hour + 50 * minute, true],
];

describe("diff of an ExportBundle", () => {
  it.each(updates)("%s", (_, held, given, now, update) => {
    const decision = exportBundle.diff({ ...state, ...held }, { ...inputs, ...given }, issued + now);
    expect(decision).toEqual({ replaces: [], update });
  });

  it("a change of jobId replaces it", () => {
    expect(exportBundle.diff(state, { jobId: "job-2", version: "job-2" }, issued).replaces).toEqual(["jobId"]);
  });

  it("a jobId that is not known yet counts as unchanged, and a due link is renewed all the same", () => {
    const waiting = { jobId: any, version: any };
    expect(exportBundle.diff(state, waiting, issued)).toEqual({ replaces: [], update: false });
    expect(exportBundle.diff(state, waiting, issued + hour)).toEqual({ replaces: [], update: true });
  });
});
