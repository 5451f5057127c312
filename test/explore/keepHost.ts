import { afterAll } from "vitest";
import { setUserAgentHost } from "../../provider/network/userAgent";
import { setWords, words } from "../../provider/support/words";

/**
 * Resets the settings of Terraform's host after the tests of a file. Test files share one process, and so the host's
 * modules.
 */
export function keepHost(): void {
  const before = words;
  afterAll(() => {
    setWords(before);
    setUserAgentHost("dynamic");
  });
}
