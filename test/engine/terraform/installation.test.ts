import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { makeReleaseArchive, terraformProvider } from "../../../tools/release/plugins/release";
import { ownTarget } from "../../../tools/release/plugins/target";
import { campaign } from "../../support/campaign";
import { authority } from "../../support/certificate";
import { forwardTls } from "../../support/loopback";
import { requireTool } from "../../support/requireTool";
import { hclSiteAndBundle, siteAddress, TerraformStack, terraformPlatform } from "../../support/terraformStack";
import { unzipInto } from "../../support/unzipInto";

describe.skipIf(!campaign || !requireTool("terraform"))("the provider of a release", () => {
  let made: string;

  beforeAll(async () => {
    made = await makeReleaseArchive(terraformProvider, ownTarget());
  }, 40 * 60_000);

  it("trusts what Node.js trusts: NODE_EXTRA_CA_CERTS, the system's if a setting asks for it, and no other", async () => {
    const platform = await terraformPlatform();
    const { port } = await forwardTls(new URL(platform.baseUrl).host);
    const stack = await TerraformStack.create(platform, hclSiteAndBundle);
    const place = join(stack.folder, "provider");
    unzipInto(place, made);
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
