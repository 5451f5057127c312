import { afterAll, expect } from "vitest";
import { forgetSecrets } from "../../provider/support/redact";
import { setWords } from "../../provider/support/words";
import { runAfterTestFile } from "./afterTestFile";
import { globalFunctions, replacedGlobals } from "./globals";
import { activeResources, leakedResources, resourcesBeforeTests } from "./leakedResources";
import { watchBlocking } from "./watchBlocking";

forgetSecrets();
setWords();

const ofProcess = globalThis as {
  sayFile?: (file: string) => void;
  resources?: ReadonlyMap<string, number>;
  globals?: readonly unknown[];
};
/** A test may block this process for at most 120 seconds. */
ofProcess.sayFile ??= watchBlocking(120);
ofProcess.sayFile(expect.getState().testPath ?? "");
ofProcess.resources ??= resourcesBeforeTests();
ofProcess.globals ??= globalFunctions();

// All test files run in one process. An open server or timer would take time, memory and ports from the next files.
afterAll(async () => {
  await runAfterTestFile();
  const left = await leakedResources(ofProcess.resources ?? new Map());
  if (left.length > 0) {
    // The next check must not blame the next file for the resources of this file.
    ofProcess.resources = activeResources();
  }
  const replaced = replacedGlobals(ofProcess.globals ?? []);
  ofProcess.globals = globalFunctions();
  expect(left, "what this file has left running").toEqual([]);
  expect(replaced, "functions that this file has replaced for the next ones").toEqual([]);
}, 60_000);
