import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { campaign } from "../support/campaign";
import { anError, testPlatform } from "../support/engineTest";
import { linkedPackages, linkPackages } from "../support/programFolder";
import { folderOfFile } from "../support/temporaryFolder";
import { InstalledProject, pack } from "./installedProject";

// A component's package depends on this package. The program depends only on the component's package. The engine loads
// the provider from the program's folder. Some package managers put only direct dependencies there, so the engine may
// not find this package.

const component = `const { ComponentResource } = require("@pulumi/pulumi");
const { StaticExport } = require("pulumi-docs-platform");
exports.Docs = class extends ComponentResource {
  constructor(name) {
    super("example:index:Docs", name);
    new StaticExport("site", { domain: "docs.example.com" }, { parent: this });
  }
};
`;

const program = 'const { Docs } = require("component");\nnew Docs("docs");\n';
const up = ["pulumi", "up", "--yes", "--skip-preview"];

async function newProject(tarball: string): Promise<InstalledProject> {
  const project = new InstalledProject(await testPlatform({ jobTime: 0 }), tarball);
  onTestFinished(() => project.remove());
  mkdirSync(join(project.folder, "component"));
  project.write("component/index.js", component);
  project.write("index.js", program);
  await succeed(project, "pulumi", "stack", "init", "test");
  return project;
}

async function succeed(project: InstalledProject, ...command: string[]): Promise<void> {
  const { code, output } = await project.command(command);
  expect(code, output).toBe(0);
}

async function expectAdvice(project: InstalledProject): Promise<void> {
  const { code, output } = await project.command(up);
  expect(code).toEqual(anError);
  const place = join(project.folder, "package.json");
  expect(output).toContain(`add pulumi-docs-platform to the dependencies of the program in ${place}`);
  expect(output).not.toContain("Cannot find module");
  expect(output).not.toMatch(/^\s+at /m);
}

it("gets the advice what to add where only the component has the package, without Node.js's own error", async () => {
  const project = await newProject("");
  const inComponent = { ...linkedPackages };
  linkPackages(join(project.folder, "component"), inComponent);
  const { "@pulumi/pulumi": sdk } = linkedPackages;
  linkPackages(project.folder, { "@pulumi/pulumi": sdk });
  symlinkSync("../component", join(project.folder, "node_modules/component"));
  project.write("package.json", "{}");
  await expectAdvice(project);
  const { "@pulumi/pulumi": _, ...own } = linkedPackages;
  linkPackages(project.folder, own);
  await succeed(project, ...up);
});

it("is found beside a program in a subfolder, from any folder", async () => {
  const project = new InstalledProject(await testPlatform({ jobTime: 0 }), "");
  onTestFinished(() => project.remove());
  const inSubfolder = join(project.folder, "program");
  linkPackages(inSubfolder);
  project.write("Pulumi.yaml", "name: installed\nruntime: nodejs\nmain: program\n");
  project.write("program/package.json", "{}");
  project.write(
    "program/index.js",
    `const { StaticExport } = require("pulumi-docs-platform");
new StaticExport("site", { domain: "docs.example.com" });
`,
  );
  await succeed(project, "pulumi", "stack", "init", "test");
  await succeed(project, "sh", "-c", `cd / && pulumi -C ${project.folder} up --yes --skip-preview`);
});

const yarn = ["npx", "-y", "@yarnpkg/cli-dist@4", "install"];
const linked = (linker: string) => ({ ".yarnrc.yml": `nodeLinker: ${linker}\n`, "yarn.lock": "" });
interface Manager {
  name: string;
  install: string[];
  files?: Record<string, string>;
  /** The result if the program does not itself depend on this package. */
  alone: "works" | "advice" | "no SDK";
}
const managers: Manager[] = [
  { name: "npm", install: ["npm", "install", "--no-audit", "--no-fund"], alone: "works" },
  {
    name: "pnpm",
    install: ["npx", "-y", "pnpm@9", "install"],
    files: { "pnpm-workspace.yaml": "packages: [component]\n" },
    alone: "advice",
  },
  { name: "Yarn 4, node-modules", install: yarn, files: linked("node-modules"), alone: "works" },
  { name: "Yarn 4, pnpm", install: yarn, files: linked("pnpm"), alone: "advice" },
  // With Plug'n'Play there is no node_modules, so Pulumi's language host does not find the SDK.
  { name: "Yarn 4, Plug'n'Play", install: yarn, files: linked("pnp"), alone: "no SDK" },
];

describe.runIf(campaign)("as a workspace", () => {
  afterEach(() => vi.unstubAllEnvs());
  const folder = folderOfFile();
  let tarball: string;

  beforeAll(async () => {
    tarball = await pack(folder);
  });

  it.each(managers)(
    "of $name, it comes to: $alone",
    async ({ name, install, files = {}, alone }) => {
      const project = await newProject(tarball);
      const registry = (await project.command(["npm", "config", "get", "registry"])).output.trim();
      vi.stubEnv("YARN_NPM_REGISTRY_SERVER", registry);
      vi.stubEnv("YARN_UNSAFE_HTTP_WHITELIST", new URL(registry).hostname);
      const own = { "pulumi-docs-platform": `file:${tarball}` };
      const manifest = (more: object) => ({
        ...{ name: "program", private: true, workspaces: ["component"] },
        dependencies: { component: name === "npm" ? "*" : "workspace:*", "@pulumi/pulumi": "3.270.0", ...more },
      });
      const manifestOfComponent = { name: "component", version: "1.0.0", dependencies: own };
      const peers = { peerDependencies: { "@pulumi/pulumi": "*" } };
      project.write("component/package.json", JSON.stringify({ ...manifestOfComponent, ...peers }));
      for (const [file, text] of Object.entries(files)) {
        project.write(file, text);
      }
      project.write("package.json", JSON.stringify(manifest({})));
      await succeed(project, ...install);
      if (alone === "works") {
        await succeed(project, ...up);
        return;
      }
      if (alone === "no SDK") {
        const { output } = await project.command(up);
        expect(output).toContain("the Pulumi SDK has not been installed");
        return;
      }
      await expectAdvice(project);
      project.write("package.json", JSON.stringify(manifest(own)));
      await succeed(project, ...install, ...(name === "pnpm" ? ["--no-frozen-lockfile"] : ["--no-immutable"]));
      await succeed(project, ...up);
    },
    600_000,
  );
});
