import { afterAll, expect } from "vitest";
import { forgetSecrets } from "../../provider/support/redact";
import { watchBlocking } from "./blockedProcess";
import { activeResources, leftBehind } from "./leftBehind";

forgetSecrets();

const ofProcess = globalThis as { sayFile?: (file: string) => void };
/** The longest time of a test, in seconds. */
ofProcess.sayFile ??= watchBlocking(120);
ofProcess.sayFile(expect.getState().testPath ?? "");

// Files share a process: what one leaves running would take the time, the ports and the memory of the next ones.
const before = activeResources();
afterAll(async () => {
  expect(await leftBehind(before), "what this file has left running").toEqual([]);
}, 60_000);
