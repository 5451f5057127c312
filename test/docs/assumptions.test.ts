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
  .map(([, name = "", fact = "", settable = ""]) => ({ name, fact, settable }));
const quotedIn = (cell: string) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name);

/** For each sentence with "not shown" in the API text: its first words, and the rows of the assumptions page. */
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

/** The test files for each row of the assumptions page. A row without files must be an `axis` in `strangePlatforms`. */
const tests: Record<string, string[]> = {
  "prefix of an admin API key": ["secretScan"],
  "encoding of the content": ["strangeAnswers"],
  "object around the fields": ["strangeAnswers"],
  "other fields of an answer": ["strangeJobs"],
  "form of a job id": ["routes"],
  "paths behind another prefix or version": ["drawnAddresses"],
  "platform without an operation for bundles": ["recordForm", "mintLink"],
  "redirects of the API": ["routes", "strangeAnswers"],
  "method and path of get-job": ["client.agents"],
  "which job, agent job or domain an answer is about": ["strangeAnswers", "strangeJobs"],
  "words for a status": ["endedStatus"],
  "transitions of a job": ["staticExport.update"],
  "type and unit of `progress`": ["parseProgress", "pacing"],
  "times of a job": ["drawnTimes"],
  "why a job, or an agent job, failed": ["strangeJobs"],
  "form of `expiresAt`": ["parseTimestamp"],
  "form of `bundleUrl`": ["strangeAnswers"],
  "when the bundle is there": ["strangeJobs"],
  "how long a link lives": ["exportBundle.diff"],
  "a mint before the end": ["lateRenewal"],
  "host of a link": ["linkAddress"],
  "how the storage sends the archive": ["resumableDownload"],
  "format of the archive": ["bundleMirror.archives"],
  "folder around the site in the archive": ["bundleMirror.archives"],
  "HTTP statuses and bodies of errors": ["requestError"],
  "an error in an answer of 200": ["strangeAnswers"],
  "no Enterprise plan, missing rights": ["requestError"],
  "a missing or wrong key": ["apiKeys"],
  "rate limits of exports": ["answerTimes", "manyProcesses"],
  "start that is refused for a while": ["faults"],
  "several jobs for a domain": ["exportStart"],
  "`Idempotency-Key`": ["faults"],
  "name of a request in the platform's logs": ["requestId"],
  "clock of the platform": ["clocks"],
  "other fields of an agent job": ["client.agents"],
  "transitions of an agent job": ["agentMessage.create"],
  "longest `prompt`": ["client.agents"],
  "what `staticExport.version` takes": ["helmValues"],
  "webhooks and events": ["pollJob"],
  "deprecation, compatibility": ["strangePlatforms"],
  "other operations of the wider API": ["strangePlatforms"],
};

it("each row says what is accepted, sent or done, and is an axis of the strange platforms or has tests that exist", () => {
  const files = filesIn(join(projectRoot, "test")).map((file) => file.replace(/^.*[\\/]/, ""));
  const laboratory = filesIn(join(projectRoot, "lab", "bench", "test"));
  const exists = (name: string) =>
    [...files, ...laboratory].some((file) => [`${name}.test.ts`, `${name}.property.test.ts`].includes(file));
  const played = new Set(strangePlatforms.map(({ axis }) => axis));
  const names = rows.map(({ name }) => name);
  expect(rows.length).toBeGreaterThan(40);
  expect(rows.filter(({ fact }) => fact === "")).toEqual([]);
  expect(names.filter((name) => !played.has(name) && tests[name] === undefined)).toEqual([]);
  expect([...played, ...Object.keys(tests)].filter((name) => !names.includes(name))).toEqual([]);
  expect(
    Object.values(tests)
      .flat()
      .filter((name) => !exists(name)),
  ).toEqual([]);
});

it("each setting and input that the page names exists", () => {
  const inputs = Object.values(resources).flatMap((resource) =>
    Object.keys({ ...resource.inputs, ...resource.copies }),
  );
  const known = [...inputs, ...allSettings.map(({ name }) => name)];
  expect(rows.flatMap(({ settable }) => quotedIn(settable).filter((name) => !known.includes(name)))).toEqual([]);
});
