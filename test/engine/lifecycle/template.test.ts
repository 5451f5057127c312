import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { projectRoot } from "../../../tools/projectRoot";
import { findPulumi } from "../../../tools/toolchain/findPulumi";
import { temporaryFolder } from "../../support/temporaryFolder";

const read = (...path: string[]) => parse(readFileSync(join(...path, "Pulumi.yaml"), "utf8"));

const templates: Record<string, string[]> = {
  "the project's root": ["Pulumi.yaml", "examples/quickstart"],
  ...Object.fromEntries(
    readdirSync(join(projectRoot, "examples"), { withFileTypes: true })
      .filter(({ name }) => existsSync(join(projectRoot, "examples", name, "Pulumi.yaml")))
      .filter(({ name }) => read(projectRoot, "examples", name).template !== undefined)
      .map(({ name }) => [`examples/${name}`, [`examples/${name}`]]),
  ),
};

it.each(Object.entries(templates))("pulumi new makes a project of %s", async (template, files) => {
  const folder = temporaryFolder();
  for (const file of files) {
    cpSync(join(projectRoot, file), join(folder, "template", file), { recursive: true });
  }
  mkdirSync(join(folder, "made"));
  const from = join(folder, "template", template.startsWith("examples/") ? template : "");
  const name = "docs-of-mine";
  const flags = ["--generate-only", "--yes", "--force", "--non-interactive", "--name", name, "--description", "Mine"];
  const { status, stdout, stderr } = spawnSync(join(await findPulumi(), "pulumi"), ["new", from, ...flags], {
    cwd: join(folder, "made"),
    env: { PATH: process.env.PATH, PULUMI_HOME: join(folder, "home"), PULUMI_SKIP_UPDATE_CHECK: "1" },
    encoding: "utf8",
  });
  expect(status, stdout + stderr).toBe(0);
  const { template: _, ...made } = read(folder, "made");
  expect(made).toMatchObject({ name, description: "Mine", runtime: "nodejs" });
  expect(readdirSync(join(folder, "made", made.main ?? ""))).toContain("index.ts");
});
