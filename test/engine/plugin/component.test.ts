import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { campaign } from "../../support/campaign";
import type { EngineStack } from "../../support/engineStack";
import { mint, start, tally, testPlatform, testStack } from "../../support/engineTest";
import { reference, writeProject, yaml } from "./hosts";
import { languages } from "./languages";

const run = 'import runpy\n\nrunpy.run_path("component/__main__.py", run_name="__main__")\n';

const authors: Record<string, (stack: EngineStack) => Promise<void>> = {
  yaml: async () => {},
  async python(stack) {
    await languages.python.prepare(stack);
    // The tests build Python's language host from its Go module. This host runs `__main__.py` in the program's folder,
    // and not in the component's folder. So the program's folder gets a `__main__.py` that starts the component.
    writeFileSync(join(stack.folder, "__main__.py"), run);
  },
};

it.runIf(campaign).each(Object.entries(authors))(
  "a component with PulumiPlugin.yaml, in %s, brings the plugin's resources to a program in YAML",
  async (language, prepare) => {
    const stack = await testStack(await testPlatform({ jobTime: 0 }), {});
    await prepare(stack);
    await yaml.prepare(stack);
    cpSync(join(__dirname, "components", language), join(stack.folder, "component"), { recursive: true });
    const plugins = ["./plugin", "./component"].map((path, at) => ({
      name: ["docs-platform", "company-docs"][at],
      path,
    }));
    writeProject(stack, "yaml", {
      plugins: { providers: plugins },
      resources: { docs: { type: "company-docs:index:Site", properties: { domain: "docs.example.com" } } },
      outputs: { version: reference("docs", "version"), bundleUrl: reference("docs", "bundleUrl") },
    });
    const { code, output, requests } = await stack.pulumi("up", "--yes");
    expect(code, output).toBe(0);
    const { version, bundleUrl } = await stack.outputs();
    expect(tally(requests)).toMatchObject({ [start]: 1, [mint(version)]: 1 });
    expect(bundleUrl).toMatch(/^http:/);
    expect(output + readFileSync(stack.stateFile, "utf8")).not.toContain("X-Amz-Signature");
    const again = await stack.pulumi("up", "--yes", "--expect-no-changes");
    expect(again.code, again.output).toBe(0);
    expect(again.requests).toEqual([]);
    expect((await stack.pulumi("destroy", "--yes")).code).toBe(0);
  },
  600_000,
);
