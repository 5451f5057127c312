import { afterAll } from "vitest";
import { setUserAgentHost } from "../../provider/network/userAgent";
import { setWords, words } from "../../provider/support/words";

/**
 * After the tests of a file, restores the terms and the user agent of the host. All test files run in one process, and
 * share the modules that contain these settings.
 */
export function keepHost(): void {
  const before = words;
  afterAll(() => {
    setWords(before);
    setUserAgentHost("dynamic");
  });
}
