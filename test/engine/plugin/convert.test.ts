import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { runTool } from "../../../tools/processes/runTool";
import { projectRoot } from "../../../tools/projectRoot";
import { nodeArchive } from "../../../tools/release/plugins/nodeArchive";
import { version } from "../../../tools/release/plugins/release";
import { getTool } from "../../../tools/toolchain/getTool";
import { campaign } from "../../support/campaign";
import { mint, start, tally, testPlatform, testStack } from "../../support/engineTest";
import { removeNodeProgram, useFolder } from "./hosts";
import { writeYaml } from "./yamlStack";

it.skipIf(!campaign)(
  "a converter finds the installed plugin, or its mapping in a file, and makes a program that runs",
  async () => {
    const stack = await testStack(await testPlatform(), {});
    removeNodeProgram(stack);
    for (const tool of [await getTool("pulumi-language-yaml"), await getTool("pulumi-converter-terraform")]) {
      useFolder(stack, dirname(tool));
    }
    useFolder(stack, dirname(process.execPath));
    const [archive, configuration] = [join(stack.folder, "plugin.tar.gz"), join(stack.folder, "configuration")];
    writeFileSync(archive, await nodeArchive());
    mkdirSync(configuration);
    copyFileSync(join(projectRoot, "examples", "terraform", "quickstart", "main.tf"), join(configuration, "main.tf"));
    // Not by the stack, which refuses output in the words of another host.
    const pulumi = (...args: string[]) => runTool("pulumi", args, { cwd: configuration, env: stack.environment });
    const { ok, output: installed } = await pulumi(
      "plugin",
      "install",
      "resource",
      "docs-platform",
      version,
      "--file",
      archive,
    );
    expect(ok, installed).toBe(true);
    const convert = async (...flags: string[]) => {
      const program = join(stack.folder, "converted");
      const { output } = await pulumi(
        "convert",
        "--from",
        "terraform",
        "--language",
        "yaml",
        "--out",
        program,
        ...flags,
      );
      // The host that can be built here writes the program, but cannot link its package.
      expect(output).toContain("unknown method Link");
      const converted = parse(readFileSync(join(program, "Main.yaml"), "utf8"));
      rmSync(program, { recursive: true });
      return converted;
    };
    const { resources, outputs } = await convert();
    writeYaml(stack, { resources, outputs });
    const { code, output, requests } = await stack.up();
    expect(code, output).toBe(0);
    const { version: jobId, ...others } = await stack.outputs();
    expect(tally(requests)).toMatchObject({ [start]: 1, [mint(jobId)]: 1 });
    expect(others).toEqual({ expiresAt: expect.any(String) });
    await pulumi("package", "get-mapping", "terraform", "docs-platform", "docsplatform", "--out", "docsplatform.json");
    expect(await convert("--mappings", "docsplatform.json")).toMatchObject({ resources, outputs });
  },
  1_200_000,
);
