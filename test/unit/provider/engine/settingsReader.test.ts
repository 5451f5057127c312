import { describe, expect, it } from "vitest";
import { readOnce, settingsReader } from "../../../../provider/engine/settingsReader";

describe("a reader for a process in which no setting changes", () => {
  it("looks at the sources for the first resource only, whatever it is asked", () => {
    const texts: Record<string, string> = { apiKey: "svc_key-0123456789", baseUrl: "https://api.example.com" };
    let looks = 0;
    const reader = readOnce(
      settingsReader({
        argument: (name) => {
          looks++;
          return texts[name];
        },
      }),
    );
    const askAll = () => Object.values(reader).map((ask: () => unknown) => ask());

    const first = askAll();
    const looksOfFirst = looks;

    expect(askAll()).toEqual(first);
    expect(looks).toBe(looksOfFirst);
  });
});
