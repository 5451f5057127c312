import { afterAll, expect } from "vitest";
import { forgetSecrets } from "../../provider/support/redact";
import { watchBlocking } from "./blockedProcess";
import { endFile } from "./fileEnd";
import { activeResources, leftBehind, resourcesAtRest } from "./leftBehind";

forgetSecrets();

const ofProcess = globalThis as { sayFile?: (file: string) => void; resources?: ReadonlyMap<string, number> };
/** The longest time of a test, in seconds. */
ofProcess.sayFile ??= watchBlocking(120);
ofProcess.sayFile(expect.getState().testPath ?? "");
ofProcess.resources ??= resourcesAtRest();

// Files share a process: what one leaves running would take the time, the ports and the memory of the next ones.
afterAll(async () => {
  await endFile();
  const left = await leftBehind(ofProcess.resources ?? new Map());
  if (left.length > 0) {
    // The next file is not to blame for it.
    ofProcess.resources = activeResources();
  }
  expect(left, "what this file has left running").toEqual([]);
}, 60_000);
