import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { archiveProvider } from "../../../tools/commands/release/terraform/archive";
import { bundleProvider } from "../../../tools/commands/release/terraform/bundle";
import { requireTool } from "../../support/requireTool";
import { siteAndBundle, TerraformStack, terraformPlatform } from "../../support/terraformStack";

const version = "1.2.3";
const root = mkdtempSync(join(tmpdir(), "terraform-mirror-"));

afterAll(() => rmSync(root, { recursive: true, force: true }));

describe("an archive of Terraform's provider", () => {
  it("has the same bytes whenever it is made, with their sums and a manifest that names the protocol", async () => {
    const [first, second] = [join(root, "first"), join(root, "second")];
    const names = await archiveProvider(first, version);
    await archiveProvider(second, version);
    expect(names).toEqual(expect.arrayContaining([`terraform-provider-docsplatform_${version}_darwin_arm64.zip`]));
    expect(names.map((name) => readFileSync(join(first, name)).equals(readFileSync(join(second, name))))).not.toContain(
      false,
    );
    const manifest = JSON.parse(
      readFileSync(join(first, `terraform-provider-docsplatform_${version}_manifest.json`), "utf8"),
    );
    expect(manifest).toEqual({ version: 1, metadata: { protocol_versions: ["6.0"] } });
    const sums = readFileSync(join(first, `terraform-provider-docsplatform_${version}_SHA256SUMS`), "utf8");
    for (const [, sum, name = ""] of sums.matchAll(/^(\w{64}) {2}(\S+)$/gm)) {
      expect(
        createHash("sha256")
          .update(readFileSync(join(first, name)))
          .digest("hex"),
      ).toBe(sum);
    }
    expect(sums.match(/^\w{64} {2}/gm)).toHaveLength(names.length - 1);
  });

  it("starts a script that holds nothing but the wire and the schema: what sends comes at the first call", async () => {
    const started = await bundleProvider(join(root, "bundle"), version);
    expect(statSync(started).size).toBeLessThan(100_000);
  });
});

describe.skipIf(!requireTool("terraform"))("terraform init", () => {
  it("takes it from a mirror in the file system, with a lock file for every target, and notices other bytes", async () => {
    const mirror = join(root, "mirror");
    const folder = join(mirror, "example.com", "docs", "docsplatform");
    await archiveProvider(folder, version);
    const stack = await TerraformStack.create(await terraformPlatform(), siteAndBundle);
    const installation = `provider_installation {\n  filesystem_mirror {\n    path = "${mirror}"\n  }\n}\n`;
    writeFileSync(join(stack.folder, "terraform.rc"), installation);
    const platforms = ["linux_amd64", "linux_arm64", "darwin_amd64", "darwin_arm64"].map((name) => `-platform=${name}`);
    const locked = await stack.run("providers", "lock", `-fs-mirror=${mirror}`, ...platforms);
    expect(locked.code, locked.output).toBe(0);
    const lock = readFileSync(join(stack.folder, ".terraform.lock.hcl"), "utf8");
    expect(lock).toContain(`version = "${version}"`);
    expect(lock).toMatch(/"h1:/);
    const init = await stack.run("init", "-lockfile=readonly");
    expect(init.code, init.output).toBe(0);
    const { code, output } = await stack.apply();
    expect(code, output).toBe(0);
    rmSync(join(stack.folder, ".terraform"), { recursive: true });
    const archive = join(folder, `terraform-provider-docsplatform_${version}_linux_amd64.zip`);
    writeFileSync(archive, Buffer.concat([readFileSync(archive).subarray(0, -1), Buffer.from("x")]));
    const tampered = await stack.run("init", "-lockfile=readonly");
    expect(tampered.code, tampered.output).toBe(1);
  });
});
