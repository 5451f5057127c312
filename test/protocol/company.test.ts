import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import net from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import tls from "node:tls";
import { describe, expect, it, onTestFinished } from "vitest";
import { filesIn } from "../../tools/filesIn";
import { authority, trustedServer } from "../support/certificate";
import { companyOrigin, startCompanyGateway } from "../support/companyGateway";
import { tally, testPlatform } from "../support/engineTest";
import { startForwardProxy } from "../support/forwardProxy";
import { listen } from "../support/loopback";
import { startS3Server } from "../support/mirror/s3Server";
import { dynamicProcess, resourceOn } from "../support/protocol/protocolHosts";
import { requireTool } from "../support/requireTool";

/**
 * The servers of a company: a platform and an S3 server, with certificates of the company's own authority. They can be
 * reached only through a real proxy.
 */
async function startCompany() {
  const folder = mkdtempSync(join(tmpdir(), "company-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const platform = await testPlatform({ jobTime: 50 });
  const storage = await startS3Server();
  onTestFinished(() => storage.close());
  const withTls = await listen(
    tls.createServer(trustedServer, (client) => {
      const server = net.connect(Number(new URL(storage.endpoint).port), "127.0.0.1");
      server.on("error", () => client.destroy());
      client.on("error", () => server.destroy());
      client.pipe(server).pipe(client);
    }),
  );
  const gateway = await startCompanyGateway(platform);
  const proxy = await startForwardProxy({
    "docs.example.test:443": gateway.port,
    "s3.example.test:443": withTls.port,
  });
  onTestFinished(proxy.close);
  const caFile = join(folder, "ca.pem");
  writeFileSync(caFile, authority);
  mkdirSync(storage.folderOf("docs"), { recursive: true });
  const place = (prefix: string) => `s3://docs/${prefix}?region=us-east-1&endpoint=https://s3.example.test`;
  const environment = {
    ...storage.environment,
    DOCS_PLATFORM_BASE_URL: companyOrigin,
    DOCS_PLATFORM_CA_FILE: caFile,
    DOCS_PLATFORM_JOURNAL: place("journal"),
    HTTPS_PROXY: `http://${proxy.host}`,
  };
  return { platform, proxy, storage, environment, place };
}

describe.skipIf(!requireTool("go"))("behind a real forward proxy (goproxy, built with go)", () => {
  it("the API, the link, a mirror in S3 and a journal in S3 go through it, and nothing goes past it", async () => {
    const { platform, proxy, storage, environment, place } = await startCompany();
    const provider = await dynamicProcess(platform, { environment });
    const site = resourceOn(provider, "StaticExport");
    const { inputs } = await site.check({ domain: "docs.example.com" });
    const { id: jobId } = await site.create(inputs);
    const copy = resourceOn(provider, "BundleMirror", "copy");
    const { inputs: wanted } = await copy.check({ jobId, destination: place("mirror") });
    const made = await copy.create(wanted);
    expect(made.outputs).toMatchObject({ jobId, sizeBytes: expect.any(Number) });

    const kept = filesIn(storage.folderOf("docs"));
    expect(kept.filter((name) => name.startsWith("mirror/") && name.includes(jobId))).not.toEqual([]);
    expect(kept.filter((name) => name.startsWith("journal/"))).not.toEqual([]);
    const tunnels = () => tally(proxy.connects.map((line) => line.replace("CONNECT 200 ", "")));
    const stored = () => storage.requests().filter((request) => request.includes(" /docs/"));
    // This S3 server closes the connection after each answer, so each request has its own tunnel. Requests to the API
    // share tunnels.
    await expect.poll(() => tunnels()["s3.example.test:443"]).toBe(stored().length);
    expect(Object.keys(tunnels()).toSorted()).toEqual(["docs.example.test:443", "s3.example.test:443"]);
    expect(stored().filter((request) => request.startsWith("PUT /docs/journal/"))).toHaveLength(2);
    expect(provider.engine.warnings).toEqual([]);
  });
});
