import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { version } from "../../../package.json";
import { campaign } from "../../support/campaign";
import { authority } from "../../support/certificate";
import { companyOrigin, startCompanyGateway } from "../../support/companyGateway";
import { start, tally, testPlatform, testStack } from "../../support/engineTest";
import { startForwardProxy } from "../../support/forwardProxy";
import { requireTool } from "../../support/requireTool";
import { until } from "../../support/until";
import { dynamicNode, type ProgramHost, yaml } from "../plugin/hosts";

const domain = "docs.example.com";

async function companyStack(host: ProgramHost, jobTime: number) {
  const folder = mkdtempSync(join(tmpdir(), "company-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [caFile, keyFile] = [join(folder, "ca.pem"), join(folder, "key")];
  const platform = await testPlatform({ jobTime });
  const { port, userAgents } = await startCompanyGateway(platform);
  const proxy = await startForwardProxy({ "docs.example.test:443": port }, "me:pr0xy-s3cr3t");
  onTestFinished(proxy.close);
  writeFileSync(caFile, authority);
  writeFileSync(keyFile, `${platform.apiKey}\n`);
  const stack = await testStack(platform, {});
  Object.assign(stack.environment, {
    PULUMI_VERSION: undefined,
    DOCS_PLATFORM_API_KEY: "",
    DOCS_PLATFORM_API_KEY_FILE: keyFile,
    DOCS_PLATFORM_BASE_URL: companyOrigin,
    DOCS_PLATFORM_CA_FILE: caFile,
    HTTPS_PROXY: `http://me:pr0xy-s3cr3t@${proxy.host}`,
    // The engine uses no proxy for servers on this machine.
    NO_PROXY: "127.0.0.1,localhost",
  });
  await host.prepare(stack);
  host.declare(stack, { site: { domain }, bundle: {} });
  return { stack, platform, proxy, keyFile, userAgents };
}

describe.skipIf(!requireTool("go")).each(campaign ? [dynamicNode, yaml] : [yaml])(
  "at home in a company, with the host $name",
  (host) => {
    it("an up goes through the proxy, with an authority of the company's own and a key from a file, which may rotate in the wait", async () => {
      const { stack, platform, proxy, keyFile, userAgents } = await companyStack(host, 3_000);
      const up = stack.up();
      await until(() => platform.starts > 0);
      platform.apiKey = "svc_rotated-0123456789";
      writeFileSync(keyFile, platform.apiKey);
      const { code, output, requests } = await up;
      expect(code, output).toBe(0);
      expect(tally(requests)[start]).toBe(1);
      await expect.poll(() => proxy.connects.length).toBeGreaterThan(0);
      expect(new Set(proxy.connects)).toEqual(new Set(["CONNECT 200 docs.example.test:443"]));
      expect(JSON.stringify(await stack.resources()) + output).not.toContain("pr0xy-s3cr3t");
      // The engine does not report its version to providers, so the User-Agent has no version of Pulumi.
      const client = `pulumi-docs-platform/${version} (${host.name.split(",")[0]}; node ${process.versions.node})`;
      expect(new Set(userAgents)).toEqual(new Set([client]));
    });
  },
);
