import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { archiveOf, terraformProvider, version } from "../../../tools/commands/release/plugins/release";
import { ownTarget } from "../../../tools/commands/release/plugins/target";
import { bundleProvider } from "../../../tools/commands/release/terraform/bundle";
import { requireTool } from "../../support/requireTool";
import { siteAndBundle, TerraformStack, terraformPlatform } from "../../support/terraformStack";

const root = mkdtempSync(join(tmpdir(), "terraform-mirror-"));

afterAll(() => rmSync(root, { recursive: true, force: true }));

it("Terraform's provider starts as a script that holds nothing but the wire and the schema: what sends comes at the first call", async () => {
  const started = await bundleProvider(join(root, "bundle"), version);
  expect(statSync(started).size).toBeLessThan(100_000);
});

describe.skipIf(!requireTool("terraform"))("terraform init", () => {
  let made: string;

  beforeAll(async () => {
    made = await archiveOf(terraformProvider, ownTarget());
  }, 40 * 60_000);

  it("takes the archive for this machine from a mirror in the file system, by a lock file, and notices other bytes", async () => {
    const mirror = join(root, "mirror");
    const folder = join(mirror, "example.com", "docs", "docsplatform");
    mkdirSync(folder, { recursive: true });
    const archive = join(folder, basename(made));
    copyFileSync(made, archive);
    const stack = await TerraformStack.create(await terraformPlatform(), siteAndBundle);
    const installation = `provider_installation {\n  filesystem_mirror {\n    path = "${mirror}"\n  }\n}\n`;
    writeFileSync(join(stack.folder, "terraform.rc"), installation);
    const { os, arch } = ownTarget();
    const locked = await stack.run("providers", "lock", `-fs-mirror=${mirror}`, `-platform=${os}_${arch}`);
    expect(locked.code, locked.output).toBe(0);
    const lock = readFileSync(join(stack.folder, ".terraform.lock.hcl"), "utf8");
    expect(lock).toContain(`version = "${version}"`);
    expect(lock).toMatch(/"h1:/);
    const init = await stack.run("init", "-lockfile=readonly");
    expect(init.code, init.output).toBe(0);
    const { code, output } = await stack.apply();
    expect(code, output).toBe(0);
    rmSync(join(stack.folder, ".terraform"), { recursive: true });
    writeFileSync(archive, Buffer.concat([readFileSync(archive).subarray(0, -1), Buffer.from("x")]));
    const tampered = await stack.run("init", "-lockfile=readonly");
    expect(tampered.code, tampered.output).toBe(1);
  });
});
