import { afterAll, beforeAll, expect } from "vitest";
import type { Platform, PlatformOptions } from "../../simulator/index";
import { startPlatform } from "./compiledPlatform";
import { EngineStack } from "./engineStack";
import { endProcessesOf } from "./fixtures/kills";
import { leaks, signatureMark } from "./leaks";

export interface SharedStack {
  platform: Platform;
  stack: EngineStack;
}

/**
 * Starts a platform and makes a stack. The tests of the `describe` use them in order, so each test continues where the
 * previous one ended. After the last test, removes both, and asserts that no process of the stack runs. Also asserts
 * that no file and no output contains a signed link or the key.
 * @param prepare changes the stack before the first test.
 */
export function sharedStack(options: PlatformOptions, prepare: (story: SharedStack) => Promise<unknown>): SharedStack {
  const story = {} as SharedStack;
  beforeAll(async () => {
    story.platform = await startPlatform({ queueTime: 0, jobTime: 50, ...options });
    story.stack = await EngineStack.create(story.platform, {});
    await prepare(story);
  }, 1_200_000);
  afterAll(async () => {
    const { stack, platform } = story;
    const left = await endProcessesOf(stack);
    const found = leaks(stack.folder, stack.printed, [signatureMark, platform.apiKey]);
    stack.remove();
    await platform.close();
    expect(left, "processes that a run has left").toEqual([]);
    expect(found, "files and outputs that hold a secret").toEqual([]);
  });
  return story;
}
