import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { resources } from "../../provider/resources/index";
import { allSettings } from "../../provider/settings/settingTable";
import { filesIn } from "../../tools/filesIn";
import { projectRoot } from "../../tools/projectRoot";
import { strangePlatforms } from "../support/strangeHabits";

const read = (name: string) => readFileSync(join(projectRoot, "docs", name), "utf8");
const rows = read("assumptions.md")
  .split("\n")
  .filter((line) => /^\| (?!not shown)/.test(line))
  .map((line) => line.split("|").map((cell) => cell.trim()))
  .map(([, name = "", accepted = "", sent = "", settable = "", test = ""]) => ({
    name,
    accepted,
    sent,
    settable,
    test,
  }));
const quotedIn = (cell: string) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name);

/** The sentences in which the API text says "not shown", by their first words, and the rows of the page about each. */
const notShown: Record<string, string[]> = {
  "Other operations of the wider": ["other operations of the wider API"],
  "Types and units of `progress`": ["type and unit of `progress`", "type of `pageCount`", "other fields of an answer"],
  "Transitions: not shown": ["transitions of a job", "transitions of an agent job"],
  "Complete set of status values": ["words for a status"],
  "Its method and path": ["method and path of get-job"],
  "Other body fields": ["other body fields of a start"],
  "Webhooks, callbacks": ["webhooks and events"],
  "HTTP status codes and error bodies": ["HTTP statuses and bodies of errors", "status of a good answer"],
  "Behaviour of static export operations": ["no Enterprise plan, missing rights"],
  "Authentication failures": ["a missing or wrong key"],
  "Duration of the bundle link": ["how long a link lives", "rate limits of exports", "longest `prompt`"],
  "Deprecation policy": ["deprecation, compatibility"],
};

it('each "not shown" of the API text has its rows', () => {
  const sentences = [...read("admin-api.md").matchAll(/[^.\n]*not shown\./g)].map(([sentence]) => sentence.trim());
  expect(sentences.length).toBeGreaterThan(12);
  const begins = Object.keys(notShown);
  expect(sentences.filter((sentence) => !begins.some((begin) => sentence.startsWith(begin)))).toEqual([]);
  expect(begins.filter((begin) => !sentences.some((sentence) => sentence.startsWith(begin)))).toEqual([]);
  const names = rows.map(({ name }) => name);
  expect(Object.values(notShown).flatMap((some) => some.filter((name) => !names.includes(name)))).toEqual([]);
});

it("each row tells what is accepted or sent, and names tests that exist", () => {
  const tests = filesIn(join(projectRoot, "test")).map((file) => file.replace(/^.*[\\/]/, ""));
  const exists = (name: string) => tests.some((test) => [`${name}.test.ts`, `${name}.property.test.ts`].includes(test));
  expect(rows.length).toBeGreaterThan(40);
  expect(rows.filter(({ accepted, sent, test }) => accepted + sent === "" || test === "")).toEqual([]);
  expect(rows.flatMap(({ test }) => quotedIn(test).filter((name) => !exists(name)))).toEqual([]);
});

it("the rows that name the table are the axes of the strange platforms", () => {
  const played = new Set(strangePlatforms.map(({ axis }) => axis));
  expect([...played].sort()).toEqual(
    rows
      .filter(({ test }) => /\btable\b/.test(test))
      .map(({ name }) => name)
      .sort(),
  );
});

it("each setting and input that the page names exists", () => {
  const inputs = Object.values(resources).flatMap((resource) =>
    Object.keys({ ...resource.inputs, ...resource.copies }),
  );
  const known = [...inputs, ...allSettings.map(({ name }) => name)];
  expect(rows.flatMap(({ settable }) => quotedIn(settable).filter((name) => !known.includes(name)))).toEqual([]);
});
