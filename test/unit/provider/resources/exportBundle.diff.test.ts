import { describe, expect, it } from "vitest";
import type { ExportBundleInputs, ExportBundleState } from "../../../../provider/definitions/exportBundle";
import { unknown } from "../../../../provider/definitions/values";
import { planned, unchanged } from "../../../support/decisions";
import { origin } from "../../../support/fakePlatform";

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

const none = unchanged;
const updated = { ...none, action: "update" };
const changingOutputs = ["bundleUrl", "expiresAt", "issuedAt"];
const due = (reason: string) => ({ ...updated, changingOutputs, reason: `${reason}: will be renewed` });
const replaced = { ...none, changingOutputs, action: "replace", replaces: ["jobId"] };

type Row = [string, Partial<ExportBundleState>, Partial<ExportBundleInputs>, number, object];

const updates: Row[] = [
  ["just minted", {}, {}, 0, none],
  ["a moment before the margin of 10 minutes", {}, {}, 50 * minute - 1, none],
  ["inside the margin", {}, {}, 50 * minute, due("link ends in 10m (renewed 10m before)")],
  ["expired", {}, {}, hour, due("link ended 1s ago")],
  ["long expired", {}, {}, 1_000 * hour, due("link ended 999h ago")],
  ["a clock a moment less than the margin before the mint", {}, {}, -10 * minute, none],
  [
    "a clock more than the margin before the mint, which is surely slow",
    {},
    {},
    -10 * minute - 1,
    due("this machine's clock shows a time before the link's start"),
  ],
  ["a link of 10 minutes, in its first half", { expiresAt: at(10 * minute) }, {}, 5 * minute - 1, none],
  [
    "a link of 10 minutes, in its second half",
    { expiresAt: at(10 * minute) },
    {},
    5 * minute,
    due("link ends in 5m (renewed 5m before)"),
  ],
  ["a link of a second, in its first half", { expiresAt: at(1_000) }, {}, 499, none],
  ["a link that ended before its start", { expiresAt: at(-1) }, {}, 0, due("link ended 1s ago")],
  ["renewBefore 0, a moment before the end", { renewBefore: "0" }, { renewBefore: "0" }, hour - 1, none],
  ["renewBefore 0, at the end", { renewBefore: "0" }, { renewBefore: "0" }, hour, due("link ended 1s ago")],
  [
    "renewBefore 20m, inside it",
    { renewBefore: "20m" },
    { renewBefore: "20m" },
    40 * minute,
    due("link ends in 20m (renewed 20m before)"),
  ],
  ["renewBefore 20m, before it", { renewBefore: "20m" }, { renewBefore: "20m" }, 40 * minute - 1, none],
  ["only renewBefore changed", {}, { renewBefore: "20m" }, 0, updated],
  ["renewBefore taken away", { renewBefore: "20m" }, {}, 0, updated],
  ["renewBefore not known yet, where it can make no link due", {}, { renewBefore: any }, 30 * minute - 1, updated],
  [
    "renewBefore not known yet, where it can make the link due",
    {},
    { renewBefore: any },
    30 * minute,
    due("link ends in 30m (renewed 30m before)"),
  ],
  [
    "a wider renewBefore, which makes the link due",
    {},
    { renewBefore: "20m" },
    45 * minute,
    due("link ends in 15m (renewed 20m before)"),
  ],
  ["only version changed", {}, { version: "v2" }, 0, updated],
  ["version not known yet", {}, { version: any }, 0, updated],
  ["the signature ends earlier, before its margin", { __signatureEnd: at(30 * minute) }, {}, 20 * minute - 1, none],
  [
    "the signature ends earlier, inside its margin",
    { __signatureEnd: at(30 * minute) },
    {},
    20 * minute,
    due("link ends in 10m (renewed 10m before)"),
  ],
];

describe("diff of an ExportBundle", () => {
  it.each(updates)("%s", (_, held, given, now, decision) => {
    expect(planned("ExportBundle", { ...state, ...held }, { ...inputs, ...given }, issued + now)).toEqual(decision);
  });

  it("a change of jobId replaces it", () => {
    expect(planned("ExportBundle", state, { jobId: "job-2", version: "job-2" }, issued)).toEqual(replaced);
  });

  it("a jobId that is not known yet replaces it, whether or not the link is due", () => {
    expect(planned("ExportBundle", state, { jobId: any, version: any }, issued)).toEqual(replaced);
    expect(planned("ExportBundle", state, { jobId: any, version: "v2" }, issued + hour)).toEqual(replaced);
  });
});
