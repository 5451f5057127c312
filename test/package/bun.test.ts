import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Platform, startPlatform } from "../../simulator/index";
import { campaign } from "../support/campaign";
import { anError } from "../support/engineTest";
import { InstalledProject, pack, programs } from "./installedProject";

/** No registry has Bun's own language host, so a `node` on PATH hands programs over to Bun. */
describe.skipIf(!campaign)("Bun", () => {
  const tarballs = mkdtempSync(join(tmpdir(), "tarball-"));
  let platform: Platform;
  let project: InstalledProject;

  beforeAll(async () => {
    platform = await startPlatform({ queueTime: 0, jobTime: 50 });
    project = new InstalledProject(platform, await pack(tarballs));
    const installed = await project.install("npm", { bun: "1.4.5" });
    expect(installed.code, installed.output).toBe(0);
    const [file, text] = programs.commonjs;
    project.write(file, `${text}exports.runtime = process.versions.bun ? "Bun" : "Node.js";\n`);
    expect(await project.command(["pulumi", "stack", "init", "test"])).toMatchObject({ code: 0 });
  }, 600_000);

  afterAll(async () => {
    project?.remove();
    await platform?.close();
    rmSync(tarballs, { recursive: true, force: true });
  });

  /** Makes a folder with a `node` that runs this script of the SDK on Bun, and everything else on Node.js. */
  function nodeThatRuns(script: string): string {
    const folder = join(project.folder, `bun-${script}`);
    mkdirSync(folder);
    const bun = join(project.folder, "node_modules", ".bin", "bun");
    const lines = ["#!/bin/sh", 'case "$*" in', `*/cmd/${script}*) exec "${bun}" "$@" ;;`, "esac"];
    writeFileSync(join(folder, "node"), [...lines, `exec "${process.execPath}" "$@"`, ""].join("\n"), { mode: 0o755 });
    return folder;
  }

  const up = (node: string, ...flags: string[]) =>
    project.command(["pulumi", "up", "--yes", "--skip-preview", ...flags], node);

  it("cannot run the provider: nothing is sent, and the error says what to do", async () => {
    const { code, output } = await up(nodeThatRuns("dynamic-provider"));
    expect(code).toEqual(anError);
    expect(output).toMatch(
      /DOCS_CONFIGURATION: the provider process runs on Bun 1\.4\.5, but needs Node\.js 22\.19\.0 or later\. Install it/,
    );
    expect(platform.requests).toEqual([]);
  });

  it("runs the program, while Node.js runs the provider", async () => {
    const node = nodeThatRuns("run");
    const { code, output } = await up(node);
    expect(code, output).toBe(0);
    expect(output).toMatch(/runtime: "Bun"/);
    expect(platform.starts).toBe(1);
    platform.resetCounts();
    expect(await up(node, "--expect-no-changes")).toMatchObject({ code: 0 });
    expect(platform.requests).toEqual([]);
  });
});
