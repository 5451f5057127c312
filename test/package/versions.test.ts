import { join } from "node:path";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { fetchNode } from "../../tools/processes/fetchNode";
import { campaign } from "../support/campaign";
import { anError, look, mint, requestsTo, start, tally, testPlatform } from "../support/engineTest";
import { folderOfFile } from "../support/temporaryFolder";
import { InstalledProject, pack, programs } from "./installedProject";

interface Versions {
  sdk: string;
  node: string;
}

/** The tested pairs. The newest SDK is missing, because the engine tests in `npm test` already use it. */
const pairs: Versions[] = [
  { sdk: "3.139.0", node: "22.19.0" },
  { sdk: "3.270.0", node: "26" },
  { sdk: "3.139.0", node: "26" },
  { sdk: "3.248.0", node: "24" },
  { sdk: "3.270.0", node: "22.19.0" },
];
/** PULUMI_SDK adds a later version, such as `latest`. The workflow `newest` sets this variable. */
const named: Versions[] = process.env.PULUMI_SDK ? [{ sdk: process.env.PULUMI_SDK, node: "24" }] : [];

/**
 * The SDK's internals that this project uses. Each has a text, which a failing test shows. It names the project's file
 * that uses the internal.
 */
const internals = {
  cancellation:
    "the SDK's provider process passes the cancellation on otherwise: provider/hosts/dynamic/watchCancellation.ts",
  log: "the SDK's log, or the engine's address in its settings, has moved: provider/pulumiEngine/engineLog.ts",
  text: "the SDK serializes the name of a dynamic provider otherwise: sdk/resource.ts",
};

const folder = folderOfFile();
let tarball: string;

beforeAll(async () => {
  tarball = await pack(folder);
});

describe.runIf(campaign)("with @pulumi/pulumi", () => {
  it.each([...pairs, ...named])(
    "$sdk on Node.js $node, an interrupted run is continued with, and nothing is sent that need not be",
    async ({ sdk, node }) => {
      const platform = await testPlatform({ jobTime: Number.POSITIVE_INFINITY });
      const project = new InstalledProject(platform, tarball);
      onTestFinished(() => project.remove());
      const path = await fetchNode(node);
      const installed = await project.install("npm", { "@pulumi/pulumi": sdk });
      expect(installed.code, installed.output).toBe(0);
      const [file, text] = programs.commonjs;
      project.write(file, text);
      const pulumi = async (...command: string[]) => {
        platform.resetCounts();
        const { code, output } = await project.command(["pulumi", ...command], path);
        return { code, output, requests: tally(requestsTo(platform)) };
      };
      expect(await pulumi("stack", "init", "test")).toMatchObject({ code: 0 });

      const running = await project.start(["pulumi", "up", "--yes", "--skip-preview"], path);
      await expect.poll(() => platform.counts.getExport, { timeout: 60_000 }).toBeGreaterThan(1);
      const interrupted = Date.now();
      running.child.kill("SIGINT");
      const { code, output } = await running.ended;
      expect(code).toEqual(anError);
      expect(Date.now() - interrupted, internals.cancellation).toBeLessThan(10_000);
      expect(output, internals.cancellation).toContain("DOCS_INTERRUPTED");
      expect(output, internals.log).toMatch(/running, \d+s elapsed/);
      expect(platform.starts).toBe(1);

      const jobId = String(platform.jobs.list()[0]?.jobId);
      platform.jobs.complete(jobId);
      const resumed = await pulumi("up", "--yes", "--skip-preview");
      expect(resumed, resumed.output).toMatchObject({ code: 0, requests: { [look(jobId)]: 1, [mint(jobId)]: 1 } });
      expect(resumed.requests).not.toHaveProperty([start]);
      const unchanged = await pulumi("up", "--yes", "--skip-preview", "--expect-no-changes");
      expect(unchanged, `${internals.text}\n${unchanged.output}`).toMatchObject({ code: 0, requests: {} });
      expect(await pulumi("refresh", "--yes", "--skip-preview")).toMatchObject({
        code: 0,
        requests: { [look(jobId)]: 1 },
      });
      expect(await pulumi("destroy", "--yes", "--skip-preview")).toMatchObject({ code: 0, requests: {} });
      const plugin = join(project.folder, "node_modules", "pulumi-docs-platform", "plugin");
      const schema = await pulumi("package", "get-schema", join(plugin, "pulumi-resource-docs-platform"));
      expect(schema.output).toContain("docs-platform:index:StaticExport");
    },
    600_000,
  );
});
