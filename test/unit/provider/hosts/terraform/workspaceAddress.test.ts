import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { resourceAddressForJournal } from "../../../../../provider/hosts/terraform/terraformSession";

const folder = mkdtempSync(join(tmpdir(), "workspace-"));
const addressOf = (environment: NodeJS.ProcessEnv, scope?: string) =>
  resourceAddressForJournal("StaticExport", scope, { environment, folder });

describe("the workspace that the journal knows", () => {
  it("is the same one, default, whether it is named, chosen, or neither", () => {
    const neither = addressOf({});
    expect(addressOf({ TF_WORKSPACE: "default" })).toBe(neither);
    mkdirSync(join(folder, ".terraform"));
    writeFileSync(join(folder, ".terraform", "environment"), "default");
    expect(addressOf({})).toBe(neither);
    expect(addressOf({}, "acme")).toBe(addressOf({ TF_WORKSPACE: "default" }, "acme"));
  });

  it("is another one for each other name", () => {
    writeFileSync(join(folder, ".terraform", "environment"), "chosen");
    const [chosen, named] = [addressOf({}), addressOf({ TF_WORKSPACE: "named" })];
    expect(new Set([chosen, named, addressOf({ TF_WORKSPACE: "default" })]).size).toBe(3);
  });
});
