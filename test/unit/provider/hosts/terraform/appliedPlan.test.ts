import { expect, it } from "vitest";
import { encodePrivateState } from "../../../../../provider/hosts/terraform/privateState";
import { providerSchema } from "../../../../../provider/hosts/terraform/schema";
import { createTerraformService } from "../../../../../provider/hosts/terraform/service";
import { TerraformSession } from "../../../../../provider/hosts/terraform/terraformSession";
import { encodeDynamicValue } from "../../../../../provider/hosts/terraform/values";
import { type Diagnostic, terraformMethods } from "../../../../../provider/hosts/terraform/wire/messages";
import { restoreWordsAfterTests } from "../../../../explore/restoreWordsAfterTests";
import { goodEnvironment } from "../../../../support/settingsUnderTest";
import { temporaryFolder } from "../../../../support/temporaryFolder";

restoreWordsAfterTests();

const typeName = "docsplatform_static_export";
const saved = { id: "job-1", job_id: "job-1", domain: "docs.example.com", status: "running", version: "job-1" };
const configured = { domain: saved.domain };

/** Returns a block with every attribute, because Terraform sends unset attributes as null. */
const block = (given: object) =>
  encodeDynamicValue({
    ...Object.fromEntries(
      Object.keys(providerSchema.resources[typeName]?.attributes ?? {}).map((name) => [name, null]),
    ),
    ...given,
  });

/** Plans an export whose job still runs. Returns the texts and values that the user sees. */
async function shownBy(clientCapabilities: object, plannedPrivate?: Uint8Array): Promise<string[]> {
  const environment = { ...goodEnvironment, DOCS_PLATFORM_JOURNAL: temporaryFolder() };
  const service = createTerraformService(new TerraformSession(undefined, { environment, folder: "." }));
  const diagnostics: Diagnostic[] = [];
  const call = (name: "ConfigureProvider" | "PlanResourceChange", request: object) => {
    // The message is encoded and decoded, because the test must notice a wrong field number.
    const { request: message } = terraformMethods[name];
    return service.call(name, message.decode(message.encode(request)), diagnostics);
  };
  await call("ConfigureProvider", { config: encodeDynamicValue(null), clientCapabilities });
  const answer = await call("PlanResourceChange", {
    typeName,
    priorState: block(saved),
    proposedNewState: block({ ...saved, ...configured }),
    config: block(configured),
    priorPrivate: encodePrivateState({ own: { __origin: "https://api.example.com" } }),
    plannedPrivate,
  });
  expect(answer).toMatchObject({ plannedPrivate: expect.anything() });
  await service.end();
  return diagnostics.map(({ summary = "", detail = "" }) => `${summary}${detail}`);
}

const first = encodePrivateState({ own: {} });
const newer = { storePlannedPrivate: true };

it.each<[what: string, capabilities: object, plannedPrivate: Uint8Array | undefined, isShown: boolean]>([
  ["the plan of Terraform before 1.16, or of OpenTofu", {}, undefined, true],
  ["the apply of Terraform before 1.16", { deferralAllowed: true }, undefined, false],
  ["the plan of Terraform 1.16", newer, undefined, true],
  ["the plan of Terraform 1.16 that allows a deferral", { ...newer, deferralAllowed: true }, undefined, true],
  ["the apply of Terraform 1.16", newer, first, false],
])("%s shows the reason of an update once, in the plan", async (_, capabilities, plannedPrivate, isShown) => {
  const shown = await shownBy(capabilities, plannedPrivate);
  expect(shown.length > 0, shown.join("; ")).toBe(isShown);
});
