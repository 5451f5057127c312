import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { EngineStack } from "../../support/engineStack";
import { look } from "../../support/engineTest";
import { sharedStack } from "../../support/sharedStack";
import { writeProject } from "./hosts";

const domain = "docs.example.com";
const dynamicType = (name: string) => `pulumi-nodejs:dynamic/docs-platform:${name}`;

function declare(stack: EngineStack, site: object, bundle: object): void {
  cpSync(join(__dirname, "programs", "plain"), stack.folder, { recursive: true });
  writeProject(stack, { name: "nodejs", options: { typescript: false } });
  const declared = {
    site: { args: { domain, triggers: { revision: 1 } }, options: site },
    bundle: { args: {}, options: bundle },
  };
  writeFileSync(join(stack.folder, "resources.json"), JSON.stringify(declared));
}

describe("a stack of dynamic resources that moves to the plugin", () => {
  let before: Record<string, unknown>;
  const story = sharedStack({}, async ({ stack }) => {
    stack.declare({ site: { domain, triggers: { revision: 1 } }, bundle: {} });
    const { code, output } = await stack.up();
    expect(code, output).toBe(0);
    before = await stack.outputs();
  });

  it("keeps its job and its link by aliases, with no request, as its preview says", async () => {
    const { stack } = story;
    const { jobId, bundleUrl, version } = before;
    declare(
      stack,
      { aliases: [{ type: dynamicType("StaticExport") }] },
      { aliases: [{ type: dynamicType("ExportBundle") }] },
    );
    const preview = await stack.preview();
    expect(preview, preview.output).toMatchObject({ code: 0, requests: [] });
    const moved = await stack.up();
    expect(moved, moved.output).toMatchObject({ code: 0, requests: [] });
    expect(await stack.outputs()).toMatchObject({ jobId, bundleUrl, version });
    expect(await stack.state("site")).toMatchObject({ type: "docs-platform:index:StaticExport", id: jobId });
  });

  it("stays unchanged from then on, without the aliases too", async () => {
    const { stack } = story;
    declare(stack, {}, {});
    expect(await stack.up("--expect-no-changes")).toMatchObject({ code: 0, requests: [] });
    expect(await stack.refresh()).toMatchObject({ code: 0, requests: [look(before.jobId)] });
  });
});
