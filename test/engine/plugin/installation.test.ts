import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import terraform from "../../../provider/hosts/terraform/schema.json";
import { projectRoot } from "../../../tools/projectRoot";
import { testPlatform } from "../../support/engineTest";
import { useFolder } from "./hosts";
import { yamlStack } from "./yamlStack";

const executable = "pulumi-resource-docs-platform";
const folder = join(projectRoot, "plugin");

describe("the plugin", () => {
  it("runs the example in YAML: it is found on PATH without a word in the project, also by a link as package managers make them", async () => {
    const platform = await testPlatform();
    const stack = await yamlStack(platform);
    rmSync(join(stack.folder, "plugin"));
    const example = readFileSync(join(projectRoot, "examples", "languages", "yaml", "Pulumi.yaml"), "utf8");
    writeFileSync(join(stack.folder, "Pulumi.yaml"), example.replace(/^name: .*$/m, "name: lifecycle"));
    const bin = join(stack.folder, "bin");
    mkdirSync(bin);
    symlinkSync(join(folder, executable), join(bin, executable));
    useFolder(stack, bin);
    // For a plugin on PATH, the engine keeps the schema beside the executable.
    const { code, output } = await stack.up();
    expect(code, output).toBe(0);
    expect(platform.starts).toBe(1);
  });

  it("tells the engine its schema, as `pulumi package add` asks for it first; the engine finds no fault in it", async () => {
    const stack = await yamlStack(await testPlatform(), {});
    const told = await stack.pulumi("package", "get-schema", join(folder, executable));
    const { $schema: _, ...committed } = JSON.parse(readFileSync(join(folder, "schema.json"), "utf8"));
    expect(JSON.parse(told.output)).toEqual(committed);
    expect(await stack.pulumi("schema", "check", join(folder, "schema.json"))).toMatchObject({ code: 0 });
  });

  it("tells a converter its resources and look-ups by Terraform's names, and each of Terraform's attributes", async () => {
    const stack = await yamlStack(await testPlatform(), {});
    const [mapping, of] = [join(stack.folder, "mapping.json"), ["terraform", join(folder, executable)]];
    const told = await stack.pulumi("package", "get-mapping", ...of, "docsplatform", "--out", mapping);
    expect(told.code, told.output).toBe(0);
    const { provider, resources, dataSources } = JSON.parse(readFileSync(mapping, "utf8"));
    expect(Object.values(resources)).toContainEqual({ tok: "docs-platform:index:StaticExport" });
    expect(dataSources.docsplatform_agent_job).toEqual({ tok: "docs-platform:index:getAgentJob" });
    // Every resource has an id, also without an attribute.
    const namesOf = (blocks: object) =>
      Object.entries(blocks).map(([name, { attributes, ...own }]) => [
        name,
        Object.keys(attributes ?? own)
          .filter((attribute) => attribute !== "id")
          .sort(),
      ]);
    expect(namesOf(provider.resources)).toEqual(namesOf(terraform.resources));
    expect(namesOf(provider.dataSources)).toEqual(namesOf(terraform.dataSources));
  });
});
