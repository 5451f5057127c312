import { readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { Platform } from "../../../simulator/index";
import { projectRoot } from "../../../tools/projectRoot";
import { reference, writeProject, yaml } from "../../engine/plugin/hosts";
import type { EngineStack, Run } from "../engineStack";
import { testStack } from "../engineTest";
import { killAll, removeCutAttributes } from "../fixtures/kills";
import { killTerraform, TerraformStack } from "../terraformStack";
import type { MirrorPlace } from "./places";
import { released } from "./released";

/** The parts of a program that a test changes. The program also has one resource of each kind. */
export interface Declared {
  /** The content of the export `site`. If it changes, a new export starts. */
  revision: number;
  /** Set if the program also declares the export `late`. */
  isLate?: true;
  /** Set if the program sends the additional fields that a newer SDK has. */
  isNewer?: true;
}

/** A stack that the last release creates, and that this project's code then manages. */
export interface UpgradedStack {
  useReleased(): Promise<void>;
  useToday(): Promise<void>;
  declare(declared: Declared): void;
  up(): Promise<Run>;
  /** Starts `up`, and kills all processes of `up` when `moment` resolves. */
  killedUp(moment: Promise<void>): Promise<void>;
  /** Runs a preview, and asserts that it creates only `late`. */
  expectLatePlanned(): Promise<void>;
  /** Runs `up`, and asserts that it changes nothing and sends no request. */
  expectNothingToDo(): Promise<void>;
  refresh(): Promise<Run>;
  destroy(): Promise<Run>;
  jobOf(name: string): Promise<unknown>;
}

export interface Host {
  name: string;
  begin(platform: Platform, place: MirrorPlace, onFinished: (work: () => void) => void): Promise<UpgradedStack>;
}

const message = { jobId: "agent-1", projectId: "docs", prompt: "Go on.", waitForCompletion: true };
export const pinned = { domain: "docs.example.org", jobId: "job-pinned" };
const triggersOf = ({ revision }: Declared) => ({ revision, pages: ["a"] });

const program = (declared: Declared, mirror: object) => `
  const docs = require("pulumi-docs-platform");
  const site = new docs.StaticExport("site", {
    domain: "docs.example.com", triggers: ${JSON.stringify(triggersOf(declared))}, waitTimeout: "10m",
  });
  const pinned = new docs.StaticExport("pinned", ${JSON.stringify(pinned)});
  const bundle = new docs.ExportBundle("bundle", { jobId: site.jobId });
  const message = new docs.AgentMessage("message", ${JSON.stringify(message)});
  new docs.BundleMirror("copy", { jobId: site.jobId, ...${JSON.stringify(mirror)} });
  ${declared.isLate ? 'new docs.StaticExport("late", { domain: "late.example.com" });' : ""}
  module.exports = { values: docs.helmValues({ bundle }), status: message.status };
`;

function yamlProgram(declared: Declared, mirror: object): object {
  const { version, pluginDownloadURL } = JSON.parse(readFileSync(join(projectRoot, "plugin", "schema.json"), "utf8"));
  const options = declared.isNewer ? { version, pluginDownloadURL } : {};
  const resource = (type: string, properties: object) => ({ type: `docs-platform:${type}`, properties, options });
  const jobId = reference("site", "jobId");
  const site = { domain: "docs.example.com", triggers: triggersOf(declared), waitTimeout: "10m" };
  return {
    resources: {
      site: resource("StaticExport", site),
      pinned: resource("StaticExport", pinned),
      bundle: resource("ExportBundle", { jobId }),
      message: resource("AgentMessage", message),
      copy: resource("BundleMirror", { jobId, ...mirror }),
      ...(declared.isLate && { late: resource("StaticExport", { domain: "late.example.com" }) }),
    },
  };
}

const configuration = ({ revision, isLate }: Declared, { destination, layout }: MirrorPlace) => `
provider "docsplatform" {
  journal_scope = "docs"
}
resource "docsplatform_static_export" "site" {
  domain       = "docs.example.com"
  triggers     = { revision = ${revision}, pages = ["a"] }
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
resource "docsplatform_bundle_mirror" "copy" {
  job_id      = docsplatform_static_export.site.job_id
  destination = "${destination}"
  layout      = "${layout}"
}
${isLate ? 'resource "docsplatform_static_export" "late" {\n  domain = "late.example.com"\n}\n' : ""}`;

function upgradedPulumiStack(stack: EngineStack): Omit<UpgradedStack, "useReleased" | "useToday" | "declare"> {
  return {
    up: () => stack.up(),
    async killedUp(moment) {
      const run = stack.start("up", "--yes", "--skip-preview");
      await moment;
      killAll(stack);
      await run.ended;
      removeCutAttributes(stack);
      await stack.pulumi("cancel", "--yes");
    },
    async expectLatePlanned() {
      const run = await stack.preview();
      expect(run, run.output).toMatchObject({ code: 0, requests: [] });
      expect(run.output).toMatch(/\+ 1 to create\s+\d+ unchanged/);
      expect(run.output).not.toMatch(/\bto (update|replace|delete)\b/);
    },
    async expectNothingToDo() {
      const run = await stack.up("--expect-no-changes");
      expect(run, run.output).toMatchObject({ code: 0, requests: [] });
    },
    refresh: () => stack.refresh(),
    destroy: () => stack.destroy(),
    jobOf: async (name) => (await stack.state(name))?.id,
  };
}

async function pulumiStack(platform: Platform, place: MirrorPlace, onFinished: Parameters<Host["begin"]>[2]) {
  const stack = await testStack(platform, {}, { onFinished });
  Object.assign(stack.environment, place.environment, place.journal && { DOCS_PLATFORM_JOURNAL: place.journal });
  return stack;
}

const mirrorOf = ({ destination, layout }: MirrorPlace) => ({ destination, layout });

const dynamic: Host = {
  name: "the dynamic provider",
  async begin(platform, place, onFinished) {
    const stack = await pulumiStack(platform, place, onFinished);
    const { packages } = await released();
    return {
      ...upgradedPulumiStack(stack),
      useReleased: async () => stack.usePackages(packages),
      async useToday() {
        stack.usePackages();
        // Pulumi stores the code `__provider` in each resource. New code would change every resource at an upgrade.
        for (const { type, inputs, outputs } of await stack.resources()) {
          const [, kind] = /^pulumi-nodejs:dynamic\/docs-platform:(\w+)$/.exec(type) ?? [];
          if (kind !== undefined) {
            const __provider = `exports.handler = () => require("pulumi-docs-platform/provider").${kind};`;
            expect([inputs, outputs]).toMatchObject([{ __provider }, { __provider }]);
          }
        }
      },
      declare: (declared) => writeFileSync(join(stack.folder, "index.js"), program(declared, mirrorOf(place))),
    };
  },
};

const plugin: Host = {
  name: "the plugin",
  async begin(platform, place, onFinished) {
    const stack = await pulumiStack(platform, place, onFinished);
    await yaml.prepare(stack);
    const { plugin: folder } = await released();
    const use = async (target: string) => {
      const link = join(stack.folder, "plugin");
      rmSync(link, { force: true });
      symlinkSync(target, link);
    };
    return {
      ...upgradedPulumiStack(stack),
      useReleased: () => use(folder),
      useToday: () => use(join(projectRoot, "plugin")),
      declare: (declared) => writeProject(stack, "yaml", yamlProgram(declared, mirrorOf(place))),
    };
  },
};

const terraform: Host = {
  name: "Terraform",
  async begin(platform, place) {
    const stack = await TerraformStack.create(platform, "");
    Object.assign(stack.environment, place.environment, place.journal && { DOCS_PLATFORM_JOURNAL: place.journal });
    const { provider } = await released();
    return {
      useReleased: async () => stack.useProvider(provider),
      useToday: async () => stack.useProvider(),
      declare: (declared) => stack.write(configuration(declared, place)),
      up: () => stack.apply(),
      async killedUp(moment) {
        const run = stack.start("apply", "-auto-approve");
        await moment;
        await killTerraform({ run, stack });
      },
      async expectLatePlanned() {
        const run = await stack.plan();
        expect(run, run.output).toMatchObject({ code: 2, requests: [] });
        expect(run.output).toContain("Plan: 1 to add, 0 to change, 0 to destroy.");
      },
      expectNothingToDo: () => stack.expectNothingToDo(),
      refresh: () => stack.run("apply", "-refresh-only", "-auto-approve"),
      destroy: () => stack.destroy(),
      jobOf: async (name) => stack.state(`docsplatform_static_export.${name}`)?.attributes.job_id,
    };
  },
};

export const upgradeHosts = { dynamic, plugin, terraform };
