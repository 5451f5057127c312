import { describe, expect, it } from "vitest";
import { unknown } from "../../../../../provider/definitions/values";
import { combineSettingSources, settingFailures } from "../../../../../provider/hosts/plugin/providerSettings";
import { allSettings } from "../../../../../provider/settings/settingTable";

const given = { apiKey: "svc_argument", baseUrl: "https://argument.example" };
const environment = { DOCS_PLATFORM_API_KEY: "svc_environment", DOCS_PLATFORM_BASE_URL: "https://environment.example" };
const PULUMI_CONFIG = JSON.stringify({ apiKey: "svc_config", baseUrl: "https://config.example", maxRetries: "7" });

describe("the settings of one provider", () => {
  it("come from an explicit provider's own arguments before the environment, and from that before the stack", () => {
    expect(combineSettingSources(given, false, { ...environment, PULUMI_CONFIG }, true).need("requests")).toMatchObject(
      {
        apiKey: "svc_argument",
        origin: "https://argument.example",
        maxRetries: 7,
      },
    );
    expect(
      combineSettingSources({ apiKey: " " }, false, { ...environment, PULUMI_CONFIG }, true).need("requests"),
    ).toMatchObject({
      apiKey: "svc_environment",
    });
    expect(combineSettingSources({}, false, { PULUMI_CONFIG }, true).need("requests")).toMatchObject({
      apiKey: "svc_config",
    });
  });

  it("come for a default provider, whose inputs are the stack's, from the environment before those", () => {
    expect(combineSettingSources(given, true, environment, true).need("requests")).toMatchObject({
      apiKey: "svc_environment",
    });
    expect(combineSettingSources(given, true, {}, true).need("requests")).toMatchObject({ apiKey: "svc_argument" });
  });

  it("are for a default provider the stack's of now, and never those of the last run", () => {
    expect(combineSettingSources(given, true, {}, false).problems).toHaveLength(1);
    expect(combineSettingSources(given, true, { PULUMI_CONFIG }, false).need("requests")).toMatchObject({
      apiKey: "svc_config",
    });
  });

  it("are for an explicit provider those of the state, but for a program, a file of secrets, and an address for secrets of this machine", () => {
    const key = { DOCS_PLATFORM_API_KEY: "svc_0123456789" };
    expect(combineSettingSources(given, false, key, false).need("requests")).toMatchObject({
      apiKey: "svc_argument",
      origin: "https://argument.example",
    });
    for (const opened of allSettings.filter(({ from }) => !from.includes("stateCopy"))) {
      const named = { ...given, [opened.name]: "/bin/evil" };
      expect(JSON.stringify(combineSettingSources(named, false, key, false).values)).not.toContain("evil");
    }
    const { baseUrl } = given;
    expect(() => combineSettingSources({ baseUrl, apiKeyCommand: "evil" }, false, {}, false).need("requests")).toThrow(
      /only the state gives the setting apiKeyCommand, .* set DOCS_PLATFORM_API_KEY_COMMAND in the .*, or add --run-program/,
    );
    expect(() => combineSettingSources({ baseUrl }, false, key, false).need("platform")).toThrow(
      /the key of DOCS_PLATFORM_API_KEY would go to .* whoever may write the state could name any address/,
    );
    const own = { ...key, DOCS_PLATFORM_BASE_URL: `${baseUrl}/path` };
    expect(combineSettingSources({ baseUrl }, false, own, false).need("requests")).toMatchObject({ origin: baseUrl });
  });

  it("give for a default provider the key of now, also where it is given in another way than in the last run", () => {
    const now = JSON.stringify({ apiKeyFile: "/run/key", baseUrl: "https://config.example" });
    expect(combineSettingSources(given, true, { PULUMI_CONFIG: now }, false).need("requests").apiKey).toEqual({
      file: "/run/key",
      from: "docs-platform:apiKeyFile",
    });
  });

  it("may be numbers where they contain one", () => {
    expect(combineSettingSources({ ...given, maxRetries: 2 }, false, {}, true).need("requests")).toMatchObject({
      maxRetries: 2,
    });
  });

  it("may be objects where they contain one", () => {
    const routes = { getAgentJob: "/jobs/{id}" };
    expect(combineSettingSources({ ...given, routes }, false, {}, true).need("requests")).toMatchObject({ routes });
    expect(settingFailures({ ...given, routes }, false, {})).toEqual([]);
    expect(settingFailures({ routes: { getJob: "/x" } }, false, {})).toEqual([
      { property: "routes", reason: expect.stringContaining('has the unknown operation "getJob"') },
    ]);
  });

  it.each(["", "no JSON", "null", "[]"])("come from elsewhere where the engine shows %j for the stack's", (text) => {
    expect(combineSettingSources(given, false, { PULUMI_CONFIG: text }, true).need("requests")).toMatchObject({
      apiKey: "svc_argument",
    });
  });
});

describe("the inputs of a provider", () => {
  it("are refused where there is no such setting, or a value cannot be one", () => {
    const inputs = { baseURL: "x", maxRetries: "many", requestTimeout: true, apiKey: "a secret", version: "1.0.0" };
    expect(settingFailures(inputs, false, {})).toEqual([
      { property: "baseURL", reason: expect.stringContaining("is not a setting of this provider, which has apiKey") },
      { property: "maxRetries", reason: "must be a whole number from 0 to 20" },
      { property: "requestTimeout", reason: expect.stringContaining("duration") },
      { property: "apiKey", reason: expect.stringContaining("is not a bearer token") },
    ]);
  });

  it("pass where they are not known yet, blank or absent", () => {
    expect(settingFailures({ baseUrl: unknown, apiKey: " ", maxRetries: null }, false, {})).toEqual([]);
  });

  it("pass for a default provider where the environment overrules them", () => {
    expect(settingFailures({ baseUrl: "no address" }, true, environment)).toEqual([]);
    expect(settingFailures({ baseUrl: "no address" }, false, environment)).toHaveLength(1);
  });
});
