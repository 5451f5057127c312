import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Platform } from "../../simulator/index";
import type { StateResource } from "../../tools/engines/pulumiDriver";
import { projectRoot } from "../../tools/projectRoot";
import type { EngineStack } from "../support/engineStack";
import { look, testPlatform, testStack } from "../support/engineTest";
import { killAll } from "../support/fixtures/kills";
import { atPort, port, type RecordedPlaces, record, restore } from "../support/fixtures/upgrade/recorded";
import { requireTool } from "../support/requireTool";
import { TerraformStack, terraformPlatform } from "../support/terraformStack";
import { until } from "../support/until";
import { reference, writeProject } from "./plugin/hosts";
import { yamlStack } from "./plugin/yamlStack";

/*
 * The code reads the state and the journal of the commit before, and of no commit before that. Each fixture was written by the
 * real engine: a first run that ended well, and a second one that was killed while it waited for one more export.
 *
 * To record them anew, in the commit that changes a state or an entry of the journal, after this test has passed on the old ones:
 * `RECORD_UPGRADE=true npx vitest run test/engine/upgrade.test.ts && npx biome format --write test/support/fixtures/upgrade`.
 */
const isRecording = process.env.RECORD_UPGRADE === "true";

/** Ninety years, so that the link of a fixture is good whenever the test runs. */
const options = {
  port,
  linkLife: 90 * 365 * 86_400_000,
  agentTime: 50,
  agentJobs: [{ projectId: "docs", id: "agent-1" }],
};
const triggers = { revision: 1, pages: ["a"] };
const message = { jobId: "agent-1", projectId: "docs", prompt: "Go on.", waitForCompletion: true };
const pinned = { domain: "docs.example.org", jobId: "job-pinned" };

/** A program with each kind of resource; the run that was killed had begun the export `late`. */
const program = (hasLate: boolean) => `
  const docs = require("pulumi-docs-platform");
  const site = new docs.StaticExport("site", {
    domain: "docs.example.com", triggers: ${JSON.stringify(triggers)}, waitTimeout: "10m",
  });
  const pinned = new docs.StaticExport("pinned", ${JSON.stringify(pinned)});
  const bundle = new docs.ExportBundle("bundle", { jobId: site.jobId });
  const message = new docs.AgentMessage("message", ${JSON.stringify(message)});
  ${hasLate ? 'new docs.StaticExport("late", { domain: "late.example.com" });' : ""}
  module.exports = { values: docs.helmValues({ bundle }), status: message.status };
`;

/** The same for the plugin. @param more options that an SDK adds to each resource. */
function yamlProgram(hasLate: boolean, more: object = {}) {
  const resource = (type: string, properties: object) => ({
    type: `docs-platform:${type}`,
    properties,
    options: more,
  });
  return {
    resources: {
      site: resource("StaticExport", { domain: "docs.example.com", triggers, waitTimeout: "10m" }),
      pinned: resource("StaticExport", pinned),
      bundle: resource("ExportBundle", { jobId: reference("site", "jobId") }),
      message: resource("AgentMessage", message),
      ...(hasLate && { late: resource("StaticExport", { domain: "late.example.com" }) }),
    },
  };
}

/** The same for Terraform. */
const configuration = (hasLate: boolean) => `
provider "docsplatform" {
  journal_scope = "docs"
}
resource "docsplatform_static_export" "site" {
  domain       = "docs.example.com"
  triggers     = { revision = 1, pages = ["a"] }
  wait_timeout = "10m"
}
resource "docsplatform_static_export" "pinned" {
  domain = "docs.example.org"
  job_id = "job-pinned"
}
resource "docsplatform_export_bundle" "bundle" {
  job_id = docsplatform_static_export.site.job_id
}
resource "docsplatform_agent_message" "message" {
  job_id              = "agent-1"
  project_id          = "docs"
  prompt              = "Go on."
  wait_for_completion = true
}
${hasLate ? 'resource "docsplatform_static_export" "late" {\n  domain = "late.example.com"\n}\n' : ""}`;

interface Host {
  name: "dynamic" | "plugin";
  stack(platform: Platform): Promise<EngineStack>;
  write(stack: EngineStack, hasLate: boolean): void;
  /** The program's inputs, as a newer SDK sends them. */
  writeNewer(stack: EngineStack): void;
}

const writeIndex = (stack: EngineStack, hasLate: boolean) =>
  writeFileSync(join(stack.folder, "index.js"), program(hasLate));

const hosts: Host[] = [
  {
    name: "dynamic",
    stack: (platform) => testStack(platform, {}),
    write: writeIndex,
    writeNewer: (stack) => writeIndex(stack, true),
  },
  {
    name: "plugin",
    stack: yamlStack,
    write: (stack, hasLate) => writeProject(stack, "yaml", yamlProgram(hasLate)),
    writeNewer: (stack) => {
      const { version, pluginDownloadURL } = JSON.parse(
        readFileSync(join(projectRoot, "plugin", "schema.json"), "utf8"),
      );
      writeProject(stack, "yaml", yamlProgram(true, { version, pluginDownloadURL }));
    },
  },
];

const placesOf = ({ folder, stateFile }: EngineStack): RecordedPlaces => ({
  stateFile,
  journal: join(folder, "home", "docs-platform"),
});

const placesOfTerraform = ({ folder, stateFile }: TerraformStack): RecordedPlaces => ({
  stateFile,
  journal: join(folder, "journal"),
});

async function platformOf(start: typeof testPlatform): Promise<Platform> {
  const platform = await atPort(() => start(options));
  platform.jobs.add({ domain: pinned.domain, jobId: pinned.jobId, status: "completed" });
  return platform;
}

/** The jobs of the fixture, of which this platform knows nothing yet. */
function addRecorded(platform: Platform, site: unknown, late: string): void {
  platform.jobs.add({ domain: "docs.example.com", jobId: String(site), status: "completed" });
  platform.jobs.add({ domain: "late.example.com", jobId: late, status: "completed" });
}

/** Waits until the export that a run is to be killed in is polled: then the journal has it. */
async function untilLateIsPolled(platform: Platform): Promise<void> {
  const isLate = (id: string) => platform.jobs.get(id)?.domain === "late.example.com";
  await until(() =>
    platform.requests.some(({ method, path }) => method === "GET" && isLate(path.split("/").at(-1) ?? "")),
  );
}

/** The text by which the SDK's dynamic provider finds our code. It is in each state, and can never change. */
function textsIn(resources: readonly StateResource[]): unknown[][] {
  const own = resources.filter(({ type }) => type.startsWith("pulumi-nodejs:dynamic/docs-platform:"));
  return own.map(({ type, inputs, outputs }) => [type.split(":").at(-1), inputs.__provider, outputs.__provider]);
}

describe.each(hosts)("the state and the journal of the commit before, $name", (host) => {
  it.skipIf(isRecording)("cost no start and no change: the next run takes the job of the killed one", async () => {
    const platform = await platformOf(testPlatform);
    const stack = await host.stack(platform);
    host.write(stack, true);
    const late = restore(host.name, placesOf(stack));
    addRecorded(platform, (await stack.state("site"))?.id, late);
    const up = await stack.up();
    expect(up, up.output).toMatchObject({ code: 0, requests: [look(late)] });
    expect(up.output).toMatch(/\+ 1 created\s+4 unchanged|5 unchanged/);
    expect((await stack.state("late"))?.id).toBe(late);
    for (const [kind, input, output] of textsIn(await stack.resources())) {
      expect(input).toBe(`exports.handler = () => require("pulumi-docs-platform/provider").${kind};`);
      expect(output).toBe(input);
    }
    host.writeNewer(stack);
    expect(await stack.up("--expect-no-changes")).toMatchObject({ code: 0, requests: [] });
    expect(await stack.destroy()).toMatchObject({ code: 0, requests: [] });
    expect(platform.starts).toBe(0);
  });

  it.runIf(isRecording)("are recorded", async () => {
    const platform = await platformOf(testPlatform);
    const stack = await host.stack(platform);
    host.write(stack, false);
    expect(await stack.up()).toMatchObject({ code: 0 });
    platform.jobTime = Number.POSITIVE_INFINITY;
    host.write(stack, true);
    const run = stack.start("up", "--yes", "--skip-preview");
    await untilLateIsPolled(platform);
    killAll(stack);
    await run.ended;
    record(host.name, placesOf(stack));
  });
});

describe.skipIf(!requireTool("terraform"))("the state and the journal of the commit before, Terraform", () => {
  it.skipIf(isRecording)("cost no start and no change: the next run takes the job of the killed one", async () => {
    const platform = await platformOf(terraformPlatform);
    const stack = await TerraformStack.reattached(platform, configuration(true));
    const late = restore("terraform", placesOfTerraform(stack));
    addRecorded(platform, stack.state("docsplatform_static_export.site")?.attributes.job_id, late);
    const plan = await stack.plan("-refresh=false");
    expect(plan, plan.output).toMatchObject({ code: 2, requests: [] });
    expect(plan.output).toContain("Plan: 1 to add, 0 to change, 0 to destroy.");
    const applied = await stack.apply("-refresh=false");
    expect(applied, applied.output).toMatchObject({ code: 0, requests: [look(late)] });
    expect(stack.state("docsplatform_static_export.late")?.attributes).toMatchObject({ job_id: late });
    expect(await stack.plan()).toMatchObject({ code: 0, requests: [] });
    expect((await stack.destroy()).code).toBe(0);
    expect(platform.starts).toBe(0);
  });

  it.runIf(isRecording)("are recorded", async () => {
    const platform = await platformOf(terraformPlatform);
    const stack = await TerraformStack.create(platform, configuration(false));
    const first = await stack.apply();
    expect(first.code, first.output).toBe(0);
    platform.jobTime = Number.POSITIVE_INFINITY;
    stack.write(configuration(true));
    const run = stack.start("apply", "-auto-approve");
    await untilLateIsPolled(platform);
    process.kill(run.pid, "SIGKILL");
    await run.ended;
    record("terraform", placesOfTerraform(stack));
  });
});
