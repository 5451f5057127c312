import { afterAll } from "vitest";
import { setWords, words } from "../../provider/support/words";

/**
 * After the tests of a file, restores `words`, the host's terms in messages. All test files run in one process, and
 * share the module that exports `words`.
 */
export function keepHost(): void {
  const before = words;
  afterAll(() => setWords(before));
}
