import { afterAll } from "vitest";
import { nameHost } from "../../provider/network/userAgent";
import { setWords, words } from "../../provider/support/words";

/**
 * Resets the settings of Terraform's host at the end of a file, because the test files of a process share its modules.
 */
export function keepHost(): void {
  const before = words;
  afterAll(() => {
    setWords(before);
    nameHost("dynamic");
  });
}
