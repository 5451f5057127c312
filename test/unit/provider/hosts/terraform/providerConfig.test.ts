import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { unknown } from "../../../../../provider/definitions/values";
import { terraformSettingsOf } from "../../../../../provider/hosts/terraform/providerConfig";
import { providerSchema } from "../../../../../provider/hosts/terraform/schema";
import { createTerraformService } from "../../../../../provider/hosts/terraform/service";
import { TerraformSession } from "../../../../../provider/hosts/terraform/terraformSession";
import { encodeDynamicValue } from "../../../../../provider/hosts/terraform/values";
import type { Diagnostic } from "../../../../../provider/hosts/terraform/wire/messages";
import { terraformWords } from "../../../../../provider/hosts/terraform/words";
import { allSettings } from "../../../../../provider/settings/settingTable";
import { camelCase, setWords } from "../../../../../provider/support/words";
import { restoreWordsAfterTests } from "../../../../explore/restoreWordsAfterTests";
import { authority, trustedClient } from "../../../../support/certificate";
import { temporaryFolder } from "../../../../support/temporaryFolder";

restoreWordsAfterTests();

/** For each part of the settings, the name of an operation that needs this part. */
const needOf = { key: "requests", platform: "platform", signing: "signing", journal: "journal" } as const;

function completeEnvironment(): Record<string, string> {
  const file = (name: string, content: string) => {
    const path = join(temporaryFolder(), name);
    writeFileSync(path, content);
    return path;
  };
  return {
    DOCS_PLATFORM_API_KEY: "svc_0123456789",
    DOCS_PLATFORM_BASE_URL: "https://own.example.com",
    DOCS_PLATFORM_PROJECT_ID: "docs",
    DOCS_PLATFORM_REQUEST_TIMEOUT: "7s",
    DOCS_PLATFORM_MAX_RETRIES: "7",
    DOCS_PLATFORM_MAX_REQUESTS_PER_SECOND: "7",
    DOCS_PLATFORM_ROUTES: '{"startExport":"/own"}',
    DOCS_PLATFORM_SIGNING_KEY_COMMAND: "own",
    DOCS_PLATFORM_CA_FILE: file("ca.pem", authority),
    DOCS_PLATFORM_CLIENT_CERT_FILE: file("cert.pem", trustedClient.cert),
    DOCS_PLATFORM_CLIENT_KEY_FILE: file("key.pem", trustedClient.key),
    DOCS_PLATFORM_HEADERS: '{"x-own":"own"}',
    DOCS_PLATFORM_JOURNAL: "/own",
    DOCS_PLATFORM_JOURNAL_REQUIRED: "true",
    DOCS_PLATFORM_JOURNAL_SCOPE: "own",
  };
}

describe("a setting of the provider's block that is not known yet", () => {
  it.each(Object.entries(providerSchema.provider.attributes))(
    "is accepted from nowhere else, and what sends is refused by its name: %s",
    (name, { type }) => {
      const property = camelCase(name);
      setWords(terraformWords);
      const environment = completeEnvironment();
      expect(terraformSettingsOf({}, environment).problems).toEqual([]);
      const setting = allSettings.find((one) => one.name === property) as (typeof allSettings)[number];
      for (const value of Array.isArray(type) ? [unknown, { get_export: unknown }] : [unknown]) {
        const settings = terraformSettingsOf({ [name]: value }, environment);
        const use = () => settings.need(needOf[setting.part]);
        expect(use).toThrow(`${name} in the provider block is not known yet`);
        expect([settings.problems, settings.isKnown(property as "journal")]).toEqual([[], false]);
        // The environment's value must not replace an unknown value of the provider block.
        expect(settings.values).not.toHaveProperty(property.replace(/^(apiKey|signingKey)(File|Command)$/, "$1"));
      }
    },
  );

  it("is no missing key", () => {
    const lacksKey = (api_key: unknown) => terraformSettingsOf({ api_key }, {}).lacksKey;
    expect([null, unknown].map(lacksKey)).toEqual([true, false]);
  });
});

describe("a secret of the environment that the provider block leads elsewhere", () => {
  const DOCS_PLATFORM_API_KEY = "svc_0123456789";
  const elsewhere = "https://elsewhere.example.com";
  const own = { DOCS_PLATFORM_API_KEY, DOCS_PLATFORM_BASE_URL: "https://own.example.com" };
  const configure = async (environment: NodeJS.ProcessEnv) => {
    const service = createTerraformService(new TerraformSession(undefined, { environment, folder: "." }));
    const diagnostics: Diagnostic[] = [];
    const answer = await service.call(
      "ConfigureProvider",
      { config: encodeDynamicValue({ base_url: elsewhere }) },
      diagnostics,
    );
    return [...diagnostics, ...((answer as { diagnostics?: Diagnostic[] }).diagnostics ?? [])];
  };

  it.each([
    [{ DOCS_PLATFORM_API_KEY }, 1],
    [own, 1],
    [{ ...own, DOCS_PLATFORM_SECRETS_ONLY_TO: elsewhere }, 0],
    [{ ...own, DOCS_PLATFORM_BASE_URL: elsewhere }, 0],
    [{}, 0],
  ])(
    "is one warning of each plan and apply, also where a base URL stands beside it: %j",
    async (environment, count) => {
      const told = await configure(environment);
      expect(told).toHaveLength(count);
      for (const { severity, summary = "", detail = "" } of told) {
        expect(severity).toBe(2);
        expect(`${summary}${detail}`).toMatch(
          /the key of DOCS_PLATFORM_API_KEY goes to .*elsewhere\.example\.com, which the provider's argument base_url sets/,
        );
      }
    },
  );

  it("is an error of the plan where the environment says where secrets may go", () => {
    const environment = { ...own, DOCS_PLATFORM_SECRETS_ONLY_TO: own.DOCS_PLATFORM_BASE_URL };
    expect(terraformSettingsOf({ base_url: elsewhere }, environment).problems).toEqual([
      expect.stringContaining(`would go to ${elsewhere}`),
    ]);
  });
});
