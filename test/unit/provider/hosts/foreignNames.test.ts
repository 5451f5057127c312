import { isDeepStrictEqual } from "node:util";
import { describe, expect, it } from "vitest";
import { unknown } from "../../../../provider/definitions/values";
import type { PluginMethods, PluginRequest } from "../../../../provider/hosts/plugin/messages";
import { createPluginService, type StartupMethod } from "../../../../provider/hosts/plugin/service";
import { createTerraformService } from "../../../../provider/hosts/terraform/service";
import {
  encodeDynamicValue,
  fromTerraformValue,
  readValue,
  toTerraformValue,
} from "../../../../provider/hosts/terraform/values";
import type { Diagnostic, TerraformMethods } from "../../../../provider/hosts/terraform/wire/messages";
import { explainConnectionFault } from "../../../../provider/network/connectionFault";
import { PulumiSession } from "../../../../provider/pulumiEngine/pulumiSession";
import { differsFromStored } from "../../../../provider/resources/differsFromStored";
import { type ResourceTypeName, resources } from "../../../../provider/resources/index";
import { explainAzureFault } from "../../../../provider/storage/azblob/error";
import { explainFileFault } from "../../../../provider/storage/file/error";
import { explainS3Fault } from "../../../../provider/storage/s3/error";
import { restoreWordsAfterTests } from "../../../explore/restoreWordsAfterTests";
import { servedResource } from "../../../support/servedResource";

/** Three of the names that every object inherits. JavaScript treats only `__proto__` in a special way. */
const names = ["__proto__", "constructor", "toString"];

async function plugin<Name extends Exclude<keyof PluginMethods, StartupMethod>>(
  method: Name,
  request: PluginRequest<Name>,
): Promise<unknown> {
  const engine = { takesOutputs: false };
  const service = createPluginService(new PulumiSession());
  return service.call(method, request, engine).catch((error: Error) => error.message);
}

async function terraform(method: keyof TerraformMethods, request: object): Promise<unknown> {
  const diagnostics: Diagnostic[] = [];
  return [await createTerraformService().call(method, request, diagnostics), diagnostics];
}

const typeOf = (name: string) => `docs-platform:index:${name}`;
const urnOf = (name: string) => `urn:pulumi:test::project::${typeOf(name)}::name`;
/** Unlike an object literal, this function also works for `__proto__`. */
const withMember = (name: string, value: unknown = 1) => Object.fromEntries([[name, value]]);

restoreWordsAfterTests();

const cannotBeKept = "has a key __proto__, which cannot be kept";

describe.each(names)("the name %s, which every object of JavaScript has,", (name) => {
  const isPrototype = name === "__proto__";

  it("is no resource and no function of the plugin, and no argument of one", async () => {
    const noResource = expect.stringContaining(
      `there is no resource ${typeOf(name)}; the resources are StaticExport, `,
    );
    for (const method of ["Check", "Diff", "Create", "Read", "Update", "Delete"] as const) {
      expect(await plugin(method, { urn: urnOf(name) }), method).toEqual(noResource);
    }
    const called = await plugin("Invoke", { tok: typeOf(name) });
    expect(called).toEqual(
      expect.stringContaining(`there is no function ${typeOf(name)}; the functions are getStaticExport, `),
    );
    const given = await plugin("Invoke", { tok: typeOf("featureAvailability"), args: withMember(name) });
    expect(JSON.stringify(given)).toContain("is not an argument of this function");
  });

  it.each([
    ["resource", "ValidateResourceConfig"],
    ["resource", "UpgradeResourceState"],
    ["resource", "ApplyResourceChange"],
    ["data source", "ReadDataSource"],
    ["action", "ValidateActionConfig"],
    ["action", "PlanAction"],
    ["function", "CallFunction"],
  ] as const)("is no %s of Terraform's provider: %s", async (kind, method) => {
    const told = await terraform(method, { typeName: name, actionType: name, name });
    expect(JSON.stringify(told)).toContain(`there is no ${kind} ${name}`);
  });

  it("is no member of an argument in Terraform", async () => {
    const told = await terraform("CallFunction", {
      name: "helm_values",
      arguments: [encodeDynamicValue(toTerraformValue("dynamic", withMember(name)))],
    });
    expect(JSON.stringify(told)).toContain(isPrototype ? cannotBeKept : "is not an argument of this function");
  });

  it("is no error's code that has words or a remedy of its own", () => {
    const answer = { name, code: name, statusCode: 400, $metadata: { httpStatusCode: 400 } };
    expect([explainS3Fault(answer)?.remedy, explainAzureFault(answer)?.remedy]).toEqual([undefined, undefined]);
    const fault = Object.assign(new Error("no words"), { code: name, syscall: "open" });
    expect(explainFileFault(fault, "elsewhere")?.remedy).toBe("check the disk, or use another folder (elsewhere)");
    expect(explainConnectionFault(fault).why).toBe("no words");
  });

  it("is a member of a value of any type in Terraform, or is refused there", () => {
    for (const value of ["text", unknown, { inner: [1] }, null]) {
      const here = withMember(name, value);
      for (const [any, path] of [
        [here, "triggers"],
        [{ list: [1, withMember("a", here)] }, "triggers.list[1].a"],
      ] as const) {
        const read = () =>
          fromTerraformValue("dynamic", readValue(encodeDynamicValue(toTerraformValue("dynamic", any))), "triggers");
        if (isPrototype) {
          expect(read).toThrow(`DOCS_CONFIGURATION: ${path} ${cannotBeKept}`);
        } else {
          expect([isDeepStrictEqual(read(), any), differsFromStored(read(), {})]).toEqual([true, true]);
        }
      }
    }
  });

  it.each(Object.keys(resources) as ResourceTypeName[])("is no input of a resource: %s", async (type) => {
    const inPlugin = await plugin("Check", { urn: urnOf(type), news: withMember(name) });
    const inProgram = await servedResource(type).check({}, withMember(name));
    for (const told of [inPlugin, inProgram]) {
      expect(JSON.stringify(told)).toContain("is not an argument of this resource");
    }
  });
});
