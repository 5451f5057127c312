import { execFileSync } from "node:child_process";
import { cpSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { type Platform, startPlatform } from "../../simulator/index";
import { fetchNode } from "../../tools/processes/fetchNode";
import { projectRoot } from "../../tools/projectRoot";
import { campaign } from "../support/campaign";
import { testPlatform } from "../support/engineTest";
import { folderOfFile } from "../support/temporaryFolder";
import { InstalledProject, managers, pack, programs } from "./installedProject";

type Program = keyof typeof programs;
interface Case {
  manager: keyof typeof managers;
  node: string;
  typescript: string;
  /** All run in the same project, in this order. */
  languages: Program[];
}

const typescript6 = "6.0.3";
const nodeTypes = { "@types/node": "22.19.0" };
const everyLanguage: Program[] = ["typescript", "commonjs", "esm"];
const layouts: Case[] = [
  { manager: "npm", node: "22.19.0", typescript: typescript6, languages: everyLanguage },
  { manager: "pnpm", node: "22.19.0", typescript: typescript6, languages: everyLanguage },
  { manager: "yarn", node: "22.19.0", typescript: typescript6, languages: everyLanguage },
  { manager: "npm", node: "24", typescript: typescript6, languages: everyLanguage },
  { manager: "npm", node: "26", typescript: typescript6, languages: everyLanguage },
  { manager: "npm", node: "22.19.0", typescript: "5.9", languages: ["typescript"] },
  { manager: "npm", node: "26", typescript: "5.0", languages: ["typescript"] },
];

const folder = folderOfFile();
let tarball: string;

beforeAll(async () => {
  tarball = await pack(folder);
});

it("the tarball has less than 220 kB, and neither sources nor tests", () => {
  expect(statSync(tarball).size).toBeLessThan(220_000);
  const files = execFileSync("tar", ["-tzf", tarball], { encoding: "utf8" }).trim().split("\n");
  const known =
    /^package\/((dist|plugin)\/(?!.*(\.test\.|(?<!\.d)\.[cm]?ts$|\.tsbuildinfo$))|(package\.json|README\.md|LICENSE|CHANGELOG\.md)$)/;
  expect(files.filter((file) => !known.test(file))).toEqual([]);
});

/** Runs a program in each language. Keeps only the last stack. */
async function runPrograms(project: InstalledProject, platform: Platform, { node, languages }: Case): Promise<void> {
  const path = await fetchNode(node);
  expect((await project.command(["pulumi", "stack", "init", "test"], path)).code).toBe(0);
  for (const language of languages) {
    const [file, text, more] = programs[language];
    rmSync(join(project.folder, "index.ts"), { force: true });
    project.write(file, text);
    const manifest = JSON.parse(readFileSync(join(project.folder, "package.json"), "utf8"));
    project.write("package.json", JSON.stringify({ ...manifest, type: undefined, ...more }));
    const pulumi = async (...flags: string[]) => {
      const { code, output } = await project.command(["pulumi", ...flags, "--yes", "--skip-preview"], path);
      expect(code, `${language}: ${output}`).toBe(0);
    };
    platform.resetCounts();
    await pulumi("up");
    expect(platform.starts).toBe(1);
    platform.resetCounts();
    await pulumi("up", "--expect-no-changes");
    expect(platform.requests).toEqual([]);
    if (language !== languages.at(-1)) {
      await pulumi("destroy");
    }
  }
}

describe.runIf(campaign)(
  "installed from the tarball into a project that `pulumi new` has made of an example, the package",
  () => {
    let platform: Platform;
    let project: InstalledProject;

    beforeAll(async () => {
      platform = await startPlatform({ queueTime: 0, jobTime: 50 });
      project = new InstalledProject(platform, tarball);
      cpSync(join(projectRoot, "examples", "quickstart"), project.folder, { recursive: true });
    });

    afterAll(async () => {
      project?.remove();
      await platform?.close();
    });

    async function succeed(...command: string[]): Promise<string> {
      const { code, output } = await project.command(command);
      expect(code, output).toBe(0);
      return output;
    }

    it("is accepted instead of a registry's, and runs with none of its optional peers", async () => {
      await succeed(...managers.npm, tarball);
      await succeed("pulumi", "stack", "init", "dev");
      const up = ["pulumi", "up", "--yes", "--skip-preview"];
      expect(await succeed(...up)).toContain("3 created");
      expect(platform.starts).toBe(1);
      platform.resetCounts();
      await succeed(...up, "--expect-no-changes");
      expect(platform.requests).toEqual([]);
    }, 600_000);

    it("has whole declarations: with the peers beside it they compile without skipLibCheck", async () => {
      const optional = ["@hono/node-server@2.1.8", "@hono/zod-openapi@1.6.3", "hono@4.13.19", "markdown-it@15.0.3"];
      await succeed(...managers.npm, ...optional);
      project.write(
        "declarations.ts",
        `${programs.typescript[1]}import { startPlatform } from "pulumi-docs-platform/simulator";
import * as provider from "pulumi-docs-platform/provider";
export const started = startPlatform({ port: 0 }), names = Object.keys(provider);\n`,
      );
      const flags = ["--noEmit", "--strict", "--module", "node20", "--types", "node", "--lib", "es2023"];
      const compiled = await project.command(["npx", "tsc", "--ignoreConfig", ...flags, "declarations.ts"]);
      expect(compiled.output.split("\n").filter((line) => line.includes("pulumi-docs-platform"))).toEqual([]);
      expect(compiled.code, compiled.output).toBe(0);
    }, 600_000);
  },
);

describe.runIf(campaign)("installed from the tarball into an empty project, the package", () => {
  it.each(layouts)(
    "runs: $manager, Node.js $node, TypeScript $typescript, $languages",
    async (layout) => {
      const platform = await testPlatform();
      const project = new InstalledProject(platform, tarball);
      onTestFinished(() => project.remove());
      const installed = await project.install(layout.manager, { typescript: layout.typescript, ...nodeTypes });
      expect(installed.code, installed.output).toBe(0);
      await runPrograms(project, platform, layout);
    },
    900_000,
  );
});
