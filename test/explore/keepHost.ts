import { afterAll } from "vitest";
import { nameHost } from "../../provider/network/userAgent";
import { setWords, words } from "../../provider/support/words";

/** The tests of a process share its modules: what Terraform's host says of itself there ends with this file. */
export function keepHost(): void {
  const before = words;
  afterAll(() => {
    setWords(before);
    nameHost("dynamic");
  });
}
