import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { unzipSync } from "fflate";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { archiveOf, terraformProvider, version } from "../../../tools/release/plugins/release";
import { ownTarget } from "../../../tools/release/plugins/target";
import { campaign } from "../../support/campaign";
import { authority } from "../../support/certificate";
import { forwardTls } from "../../support/loopback";
import { requireTool } from "../../support/requireTool";
import { hclSiteAndBundle, siteAddress, TerraformStack, terraformPlatform } from "../../support/terraformStack";

const root = mkdtempSync(join(tmpdir(), "terraform-mirror-"));

afterAll(() => rmSync(root, { recursive: true, force: true }));

describe.skipIf(!campaign || !requireTool("terraform"))("terraform init", () => {
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
    const stack = await TerraformStack.create(await terraformPlatform(), hclSiteAndBundle);
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

  it("makes a provider whose executable trusts what Node.js trusts: NODE_EXTRA_CA_CERTS, the system's where it is told to, and no other", async () => {
    const platform = await terraformPlatform();
    const { port } = await forwardTls(new URL(platform.baseUrl).host);
    const stack = await TerraformStack.create(platform, hclSiteAndBundle);
    const place = join(stack.folder, "provider");
    const name = terraformProvider.executable(version);
    mkdirSync(place);
    writeFileSync(join(place, name), unzipSync(readFileSync(made))[name] ?? "", { mode: 0o755 });
    stack.useProvider(place);
    const file = join(stack.folder, "authority.pem");
    writeFileSync(file, authority);
    const others = { NODE_EXTRA_CA_CERTS: undefined, SSL_CERT_DIR: undefined, SSL_CERT_FILE: undefined };
    const base = { ...others, DOCS_PLATFORM_BASE_URL: `https://127.0.0.1:${port}`, DOCS_PLATFORM_MAX_RETRIES: "0" };
    Object.assign(stack.environment, base, { SSL_CERT_FILE: file });
    const refused = await stack.apply();
    expect(refused.code).toBe(1);
    expect(refused.output).toContain("NODE_EXTRA_CA_CERTS also works");
    expect(platform.starts).toBe(0);
    for (const trusting of [{ NODE_EXTRA_CA_CERTS: file }, { SSL_CERT_FILE: file, NODE_USE_SYSTEM_CA: "1" }]) {
      Object.assign(stack.environment, base, trusting);
      const { code, output } = await stack.apply(`-replace=${siteAddress}`);
      expect(code, output).toBe(0);
    }
    expect(platform.starts).toBe(2);
  });
});
