import { describe, expect, it } from "vitest";
import { readOnce, settingsReader } from "../../../../provider/engine/settingsReader";

describe("a reader", () => {
  it("reads a setting that stands alone where others are missing, and names those", () => {
    const texts: Record<string, string> = { projectId: "docs", journal: "/srv/journal", caFile: "/srv/ca.pem" };
    const reader = settingsReader({ environment: {}, config: (name) => texts[name] });
    expect([reader.projectId(), reader.journalPlace()]).toEqual(["docs", "/srv/journal"]);
    expect([reader.lacksKey(), reader.redirection()]).toEqual([true, undefined]);
    expect(reader.problems()).toContainEqual(expect.stringContaining("the setting baseUrl is missing"));
    for (const read of [reader.given, reader.require]) {
      expect(read).toThrow("the setting baseUrl is missing");
    }
  });

  it("tells of a key of this machine that a project sends elsewhere", () => {
    const environment = { DOCS_PLATFORM_API_KEY: "svc_key-0123456789" };
    const baseUrl = "https://theirs.example.com";
    const reader = settingsReader({ environment, config: (name) => ({ baseUrl })[name] });
    expect(reader.redirection()).toContain(`DOCS_PLATFORM_API_KEY goes to ${baseUrl}`);
    expect([reader.lacksKey(), reader.problems()]).toEqual([false, []]);
  });
});

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
