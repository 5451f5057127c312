import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
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
    // The engine stores a plugin's schema beside the executable if the plugin is on PATH.
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
});
