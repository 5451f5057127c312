import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { pulumiFolder } from "../../../tools/engines/pulumiDriver";
import { entriesIn } from "../../../tools/filesIn";
import { fastStart, linkPackages } from "../../support/programFolder";
import { temporaryFolder } from "../../support/temporaryFolder";

const { startTestStack }: typeof import("../../../simulator/index") = createRequire(__filename)(
  "../../../dist/simulator/index.js",
);
const hour = 3_600_000;

const program = `
const { ExportBundle, helmValues, StaticExport, writeValues } = require("pulumi-docs-platform");
const site = new StaticExport("site", { domain: "docs.example.com" });
const bundle = new ExportBundle("bundle", { jobId: site.jobId });
writeValues("values.json", helmValues({ bundle }));
exports.version = bundle.version;
`;

it("a test stack renews its link when its clock is moved, without a wait, and leaves no file behind", async () => {
  const [project, temporary, home] = [temporaryFolder(), temporaryFolder(), temporaryFolder()];
  linkPackages(project);
  writeFileSync(join(project, "Pulumi.yaml"), "name: own\nruntime: nodejs\n");
  writeFileSync(join(project, "Pulumi.test.yaml"), "config: { own:of: a person }\n");
  writeFileSync(join(project, "index.js"), program);
  const before = namesIn(project);
  vi.stubEnv("PATH", `${await pulumiFolder()}:${process.env.PATH}`);
  vi.stubEnv("TMPDIR", temporary);
  vi.stubEnv("HOME", home);
  for (const [name, value] of Object.entries(fastStart())) {
    vi.stubEnv(name, value);
  }
  try {
    const { stack, platform, folder, passTime, close } = await startTestStack(project, { jobTime: 0, linkLife: hour });
    const { outputs } = await stack.up();
    expect(existsSync(join(folder, "values.json"))).toBe(true);
    platform.resetCounts();
    await stack.up({ expectNoChanges: true });
    expect(platform.requests).toEqual([]);
    passTime(hour);
    expect((await stack.up()).outputs).toMatchObject(outputs);
    expect(platform.requests.map(({ operation }) => operation)).toEqual(["createBundle"]);
    await close();
  } finally {
    vi.unstubAllEnvs();
  }
  expect(namesIn(project)).toEqual(before);
  expect([readdirSync(temporary), readdirSync(home)]).toEqual([[], []]);
});

/** Returns the paths below a folder. It does not follow links, because a link to a package leads to this project. */
function namesIn(folder: string): string[] {
  return entriesIn(folder).map(({ parentPath, name }) => join(parentPath, name));
}
