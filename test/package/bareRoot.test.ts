import { execFileSync } from "node:child_process";
import { globSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import { executablesOnPath } from "../../tools/processes/executables";
import { makeReleaseArchive, pluginRelease, terraformProvider, version } from "../../tools/release/plugins/release";
import { ownTarget } from "../../tools/release/plugins/target";
import { findPulumi } from "../../tools/toolchain/findPulumi";
import { getTool } from "../../tools/toolchain/getTool";
import { yamlProject, yamlSiteAndBundle } from "../engine/plugin/yamlStack";
import { BareRoot } from "../support/bareRoot";
import { campaign } from "../support/campaign";
import { mint, start, tally, testPlatform } from "../support/engineTest";
import { requireTool } from "../support/requireTool";
import { canBeAnotherUser } from "../support/secondUser";
import { hclSiteAndBundle } from "../support/terraformStack";

const limit = 20 * 60_000;

/** Copies the libraries of images such as debian:slim and ubuntu: the C and C++ libraries, without libatomic. */
function copySlimLibraries(root: BareRoot): void {
  const listed = execFileSync("dpkg", ["--listfiles", "libc6", "libstdc++6", "libgcc-s1"], { encoding: "utf8" });
  for (const file of listed
    .split("\n")
    .filter((name) => /^\/lib\S*\.so\.\d+$|^\/usr\/lib\/\w+-linux-gnu\/lib[\w+]+\.so\.\d+$/.test(name))) {
    root.copy(file, file);
  }
}

/**
 * Makes every program preload libselinux, which every Debian system has. Some images preload an allocator in the same
 * way. Libselinux needs a library that is missing here, and the plugin must start nevertheless.
 */
function preloadForeignLibrary(root: BareRoot): void {
  const [library = ""] = globSync("/usr/lib/*-linux-gnu/libselinux.so.1");
  root.copy(library, "lib/preloaded.so");
  root.environment.LD_PRELOAD = "/lib/preloaded.so";
}

const roots: [name: string, fill: (root: BareRoot) => void][] = [
  ["nothing but the engine, and a library that is preloaded", preloadForeignLibrary],
  ["Debian's slim libraries", copySlimLibraries],
];

const engines = [
  {
    engine: "terraform",
    registry: "registry.terraform.io",
    command: async () => executablesOnPath("terraform")[0] ?? getTool("terraform"),
  },
  { engine: "tofu", registry: "registry.opentofu.org", command: () => getTool("tofu") },
];

/** `npm test` uses only the root with the fewest files. */
const drawn = campaign ? roots : roots.slice(0, 1);

describe.skipIf(process.platform !== "linux" || !requireTool("go") || !canBeAnotherUser())(
  "the archives for Linux (need the rights of root)",
  () => {
    it.each(drawn)(
      "run the plugin in a root that holds %s from its installation to destroy",
      async (_, fill) => {
        const platform = await testPlatform({ jobTime: 0 });
        const root = new BareRoot();
        fill(root);
        const archive = await makeReleaseArchive(pluginRelease, ownTarget());
        root.copy(join(await findPulumi(), "pulumi"), "bin/pulumi");
        root.copy(await getTool("pulumi-language-yaml"), "bin/pulumi-language-yaml");
        root.copy(archive, `project/${basename(archive)}`);
        root.write("project/Pulumi.yaml", yamlProject(yamlSiteAndBundle));
        Object.assign(root.environment, {
          DOCS_PLATFORM_API_KEY: platform.apiKey,
          DOCS_PLATFORM_BASE_URL: platform.baseUrl,
          PULUMI_BACKEND_URL: "file:///home",
          PULUMI_CONFIG_PASSPHRASE: "",
          PULUMI_SKIP_UPDATE_CHECK: "true",
        });
        const pulumi = async (...args: string[]) => {
          const { ok, output } = await root.run("/bin/pulumi", "-C", "/project", ...args);
          expect(ok, output).toBe(true);
          return output;
        };
        const install = ["plugin", "install", "resource", "docs-platform", version, "--file"];
        await pulumi(...install, `/project/${basename(archive)}`);
        await pulumi("stack", "init", "dev");
        await pulumi("up", "--yes");
        const [{ jobId = "" } = {}] = platform.jobs.list();
        expect(
          tally(platform.requests.map(({ method, path }) => `${method} ${path.replace("/v1", "")}`)),
        ).toMatchObject({
          [start]: 1,
          [mint(jobId)]: 1,
        });
        await pulumi("up", "--yes", "--expect-no-changes");
        await pulumi("destroy", "--yes");
        expect(platform.starts).toBe(1);
      },
      limit,
    );

    const cells = roots.flatMap(([name, fill]) => engines.map((engine) => ({ name, fill, ...engine })));
    it.runIf(campaign).each(cells)(
      "run $engine's provider in a root that holds $name from init to destroy, with a mirror, and `status`",
      async ({ fill, engine, registry, command }) => {
        const platform = await testPlatform({ jobTime: 0 });
        const root = new BareRoot();
        fill(root);
        const archive = await makeReleaseArchive(terraformProvider, ownTarget());
        root.copy(await command(), `bin/${engine}`);
        const place = `${registry}/pulumi-docs-platform/docsplatform`;
        root.copy(archive, `mirror/${place}/${basename(archive)}`);
        root.write(
          "home/terraform.rc",
          'provider_installation {\n  filesystem_mirror {\n    path = "/mirror"\n  }\n}\n',
        );
        root.write(
          "project/main.tf",
          `terraform {
  required_providers {
    docsplatform = { source = "pulumi-docs-platform/docsplatform" }
  }
}
${hclSiteAndBundle}
resource "docsplatform_bundle_mirror" "copy" {
  job_id      = docsplatform_static_export.site.job_id
  destination = "file:///home/site"
  layout      = "site"
}
`,
        );
        Object.assign(root.environment, {
          DOCS_PLATFORM_API_KEY: platform.apiKey,
          DOCS_PLATFORM_BASE_URL: platform.baseUrl,
          TF_CLI_CONFIG_FILE: "/home/terraform.rc",
        });
        const run = async (...command: string[]) => {
          const { ok, output } = await root.run(...command);
          expect(ok, output).toBe(true);
          return output;
        };
        const inProject = (...args: string[]) => run(`/bin/${engine}`, "-chdir=/project", ...args);
        await inProject("init");
        await inProject("plan");
        await inProject("apply", "-auto-approve");
        expect(await inProject("plan", "-detailed-exitcode")).toContain("No changes");
        const installed = `/project/.terraform/providers/${place}/${version}/linux_${ownTarget().arch}`;
        const executable = `${installed}/${terraformProvider.executable(version)}`;
        expect(await run(executable, "status", "--terraform", "--cwd", "/project")).toContain("healthy");
        await inProject("destroy", "-auto-approve");
        expect(platform.starts).toBe(1);
      },
      limit,
    );
  },
);
