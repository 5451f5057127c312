import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { unknown } from "../../../../../provider/definitions/values";
import { journalScope } from "../../../../../provider/hosts/terraform/journalScope";
import { terraformSettingsOf } from "../../../../../provider/hosts/terraform/providerConfig";
import { providerSchema } from "../../../../../provider/hosts/terraform/schema";
import { createTerraformService } from "../../../../../provider/hosts/terraform/service";
import { TerraformSession } from "../../../../../provider/hosts/terraform/terraformSession";
import { writeValue } from "../../../../../provider/hosts/terraform/values";
import type { Diagnostic } from "../../../../../provider/hosts/terraform/wire/messages";
import { terraformWords } from "../../../../../provider/hosts/terraform/words";
import { allSettings } from "../../../../../provider/settings/settingTable";
import { camelCase, setWords } from "../../../../../provider/support/words";
import { keepHost } from "../../../../explore/keepHost";
import { authority } from "../../../../support/certificate";
import { temporaryFolder } from "../../../../support/temporaryFolder";

const variables = [...allSettings, journalScope].map(({ variable }) => variable);
keepHost();

describe("a setting of the provider's block that is not known yet", () => {
  it.each(Object.entries(providerSchema.provider.attributes))(
    "is taken from nowhere else, and what sends is refused by its name: %s",
    (name, { type }) => {
      const property = camelCase(name);
      setWords(terraformWords);
      // The environment gives every setting, and the file of this one can be read.
      const DOCS_PLATFORM_CA_FILE = join(temporaryFolder(), "ca.pem");
      writeFileSync(DOCS_PLATFORM_CA_FILE, authority);
      const others = Object.fromEntries(variables.map((variable) => [variable, `of ${variable}`]));
      const environment: NodeJS.ProcessEnv = { ...others, DOCS_PLATFORM_CA_FILE };
      const variable = [...allSettings, journalScope].find((setting) => setting.name === property)?.variable ?? "";
      for (const value of Array.isArray(type) ? [unknown, { get_export: unknown }] : [unknown]) {
        const settings = terraformSettingsOf({ [name]: value }, environment);
        for (const needed of [settings.require, settings.given]) {
          expect(needed).toThrow(`${name} in the provider block is not known yet`);
        }
        expect([settings.problems(), settings.lacksKey()]).toEqual([[], false]);
        const { projectId, journalPlace: journal, journalScope: scope, caFile } = settings;
        expect([projectId(), journal(), scope(), caFile()]).not.toContain(environment[variable]);
        const alone: Readonly<Record<string, () => unknown>> = { projectId, journal, journalScope: scope };
        // Not the default either.
        expect(Object.hasOwn(alone, property) ? alone[property]?.() : unknown).toBe(unknown);
      }
    },
  );
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
      { config: writeValue({ base_url: elsewhere }) },
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
    expect(terraformSettingsOf({ base_url: elsewhere }, environment).problems()).toEqual([
      expect.stringContaining(`would go to ${elsewhere}`),
    ]);
  });
});
