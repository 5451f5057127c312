import { afterAll } from "vitest";
import { setWords, words } from "../../provider/support/words";

/**
 * Restores `words`, the host's terms in messages, after the tests of a file. All test files share the module of
 * `words`.
 */
export function restoreWordsAfterTests(): void {
  const before = words;
  afterAll(() => setWords(before));
}
