import { describe, expect, it } from "vitest";
import { untrustedBaseUrlProblem } from "../../../../provider/settings/machineSecrets";
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
  ])("is reported: %s", (told, environment, given) => {
    const found = (more: NodeJS.ProcessEnv) =>
      untrustedBaseUrlProblem({ environment: { ...environment, ...more }, config: lookupOf(given) });
    const redirected = found({});
    expect(redirected).toMatchObject({
      isRefused: false,
      text: expect.stringContaining(`${told} to https://theirs.test, which docs-platform:baseUrl sets`),
    });
    expect(redirected?.text).not.toContain("s3cr3t");
    expect(found(ours)).toBeUndefined();
    // If the environment lists addresses, the provider sends secrets to no other address.
    const refused = found({ DOCS_PLATFORM_SECRETS_ONLY_TO: "https://ours.test https://theirs.test:8443 nowhere" });
    expect(refused).toMatchObject({
      isRefused: true,
      text: expect.stringContaining("would go to https://theirs.test"),
    });
    expect(found({ DOCS_PLATFORM_SECRETS_ONLY_TO: "https://ours.test https://theirs.test/x" })).toBeUndefined();
  });

  it("is reported where an argument of the provider has the base URL, too", () => {
    const sources = { argument: lookupOf(theirs), config: lookupOf() };
    const found = (own: string) =>
      untrustedBaseUrlProblem({ ...sources, environment: { ...key, DOCS_PLATFORM_BASE_URL: own } });
    expect(found("https://ours.test")?.text).toContain(
      "https://theirs.test, which the provider's argument baseUrl sets",
    );
    expect(found("https://theirs.test/other/path")).toBeUndefined();
    const file = { ...theirs, apiKeyFile: "/run/key" };
    expect(untrustedBaseUrlProblem({ argument: lookupOf(file) })?.text).toContain(
      "the file that the provider's argument apiKeyFile names goes to https://theirs.test",
    );
  });

  it("is no key of a lower source while a setting that may give the key is not known", () => {
    const sources = { environment: key, argument: lookupOf(theirs) };
    expect(untrustedBaseUrlProblem(sources)).toBeDefined();
    expect(untrustedBaseUrlProblem({ ...sources, notKnown: new Set(["apiKeyFile"]) })).toBeUndefined();
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
      expect(untrustedBaseUrlProblem(sources)).toBeUndefined();
    }
  });
});
