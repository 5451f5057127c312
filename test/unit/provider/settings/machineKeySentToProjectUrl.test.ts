import { describe, expect, it } from "vitest";
import { machineKeySentToProjectUrl } from "../../../../provider/settings/machineKeySentToProjectUrl";
import { lookupOf } from "../../../support/settingsUnderTest";

describe("what this machine has, and a project sends elsewhere by its base URL,", () => {
  const key = { DOCS_PLATFORM_API_KEY: "svc_s3cr3t" };
  const header = { DOCS_PLATFORM_HEADERS: '{"x-gateway":"s3cr3t"}' };
  const certificate = { DOCS_PLATFORM_CLIENT_CERT_FILE: "/run/cert.pem" };
  const theirs = { baseUrl: "https://theirs.test/path" };
  const withKey = { ...theirs, apiKey: "svc_own" };
  const ours = { DOCS_PLATFORM_BASE_URL: "https://ours.test" };

  it.each<[string, NodeJS.ProcessEnv, Record<string, string>]>([
    ["the key of DOCS_PLATFORM_API_KEY goes", key, theirs],
    ["the key of DOCS_PLATFORM_API_KEY_FILE goes", { DOCS_PLATFORM_API_KEY_FILE: "x" }, theirs],
    ["the key of DOCS_PLATFORM_API_KEY_COMMAND goes", { DOCS_PLATFORM_API_KEY_COMMAND: "x" }, theirs],
    ["the headers of DOCS_PLATFORM_HEADERS go", header, withKey],
    ["the client certificate of DOCS_PLATFORM_CLIENT_CERT_FILE goes", certificate, withKey],
    ["the file that docs-platform:apiKeyFile names goes", {}, { ...theirs, apiKeyFile: "/run/key" }],
    [
      "the key of DOCS_PLATFORM_API_KEY, the headers of DOCS_PLATFORM_HEADERS and the client certificate of DOCS_PLATFORM_CLIENT_CERT_FILE go",
      { ...key, ...header, ...certificate },
      theirs,
    ],
  ])("is told of: %s", (told, environment, given) => {
    const redirected = machineKeySentToProjectUrl({ environment, config: lookupOf(given) });
    expect(redirected).toContain(`${told} to https://theirs.test, which docs-platform:baseUrl sets`);
    expect(redirected).not.toContain("s3cr3t");
    expect(
      machineKeySentToProjectUrl({ environment: { ...environment, ...ours }, config: lookupOf(given) }),
    ).toBeUndefined();
  });

  it("is told of where an argument of the provider has the base URL, too", () => {
    const told = machineKeySentToProjectUrl({ argument: lookupOf(theirs), environment: key, config: lookupOf() });
    expect(told).toContain("https://theirs.test, which the provider's argument baseUrl sets");
  });

  it("is none where the key stands with its base URL, or where that is missing or malformed", () => {
    const own = lookupOf(withKey);
    for (const sources of [
      { config: own },
      { environment: key, argument: own },
      { environment: ours, config: own },
      { environment: key },
      { environment: key, config: lookupOf({ baseUrl: "nowhere" }) },
    ]) {
      expect(machineKeySentToProjectUrl(sources)).toBeUndefined();
    }
  });
});
