import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { makeReleaseArchive, pluginRelease, version } from "../../../tools/release/plugins/release";
import { ownTarget } from "../../../tools/release/plugins/target";
import { findPulumi } from "../../../tools/toolchain/findPulumi";
import { getTool } from "../../../tools/toolchain/getTool";
import { mint, start, tally } from "../../support/engineTest";
import { sharedStack } from "../../support/sharedStack";
import { reference, removeNodeProgram } from "./hosts";
import { writeYaml, yamlSiteAndBundle } from "./yamlStack";

const nothing = { code: 0, requests: [] };

describe("the plugin's executable for this machine, on one that has no Node.js", () => {
  let archive: string;
  let mirror: string;
  const story = sharedStack({ linkLife: 4_000 }, async ({ stack }) => {
    archive = await makeReleaseArchive(pluginRelease, ownTarget());
    mirror = join(stack.folder, "mirror");
    const home = join(stack.folder, "user");
    mkdirSync(home);
    const PATH = [dirname(await getTool("pulumi-language-yaml")), await findPulumi()].join(delimiter);
    Object.assign(stack.environment, { HOME: home, PATH });
    removeNodeProgram(stack);
    const properties = { jobId: reference("site", "jobId"), destination: `file://${mirror}` };
    const copy = { type: "docs-platform:BundleMirror", properties };
    writeYaml(stack, { ...yamlSiteAndBundle, resources: { ...yamlSiteAndBundle.resources, copy } });
  });

  it("is installed from its archive by one line", async () => {
    const line = ["plugin", "install", "resource", "docs-platform", version, "--file", archive];
    const { code, output } = await story.stack.pulumi(...line);
    expect(code, output).toBe(0);
  });

  it("runs a program that says nothing of where the plugin is: export, link and mirror, from the first preview on", async () => {
    const first = await story.stack.preview();
    expect(first, first.output).toMatchObject(nothing);
    expect(first.output).not.toContain("error");
    const { code, output, requests } = await story.stack.up();
    expect(code, output).toBe(0);
    const { jobId } = await story.stack.outputs();
    expect(tally(requests)).toMatchObject({ [start]: 1, [mint(jobId)]: expect.any(Number) });
    expect(readdirSync(mirror).length).toBeGreaterThan(0);
  });

  it("renews a link that has expired by exactly one request, and after that sends none", async () => {
    const { stack, platform } = story;
    const { jobId } = await stack.outputs();
    await sleep(4_000);
    platform.linkLife = 600_000;
    expect(await stack.up()).toMatchObject({ code: 0, requests: [mint(jobId)] });
    expect(await stack.up("--expect-no-changes")).toMatchObject(nothing);
  });

  it("destroys what it has made, without a request", async () => {
    expect(await story.stack.destroy()).toMatchObject(nothing);
    expect(existsSync(mirror) ? readdirSync(mirror) : []).toEqual([]);
  });
});
