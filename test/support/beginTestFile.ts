import { afterAll, expect } from "vitest";
import { forgetSecrets } from "../../provider/support/redact";
import { setWords } from "../../provider/support/words";
import { watchBlocking } from "./blockedProcess";
import { endFile } from "./fileEnd";
import { globalFunctions, replacedGlobals } from "./globals";
import { activeResources, leftBehind, resourcesAtRest } from "./leftBehind";

forgetSecrets();
setWords();

const ofProcess = globalThis as {
  sayFile?: (file: string) => void;
  resources?: ReadonlyMap<string, number>;
  globals?: readonly unknown[];
};
/** The number is the longest time, in seconds, for which a test may block this process. */
ofProcess.sayFile ??= watchBlocking(120);
ofProcess.sayFile(expect.getState().testPath ?? "");
ofProcess.resources ??= resourcesAtRest();
ofProcess.globals ??= globalFunctions();

// All test files run in one process. A server or a timer that a file leaves open takes time, memory and ports from the
// next files.
afterAll(async () => {
  await endFile();
  const left = await leftBehind(ofProcess.resources ?? new Map());
  if (left.length > 0) {
    // Without this reset, the next file would fail because of this file's resources.
    ofProcess.resources = activeResources();
  }
  const replaced = replacedGlobals(ofProcess.globals ?? []);
  ofProcess.globals = globalFunctions();
  expect(left, "what this file has left running").toEqual([]);
  expect(replaced, "functions that this file has replaced for the next ones").toEqual([]);
}, 60_000);
