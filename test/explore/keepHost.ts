import { afterAll } from "vitest";
import { setWords, words } from "../../provider/support/words";

/**
 * After the tests of a file, restores the terms of the host. All test files run in one process, and share the module
 * that contains these terms.
 */
export function keepHost(): void {
  const before = words;
  afterAll(() => setWords(before));
}
