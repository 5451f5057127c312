import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { setProcessCaFile } from "../../../../provider/network/authorities";
import { authority } from "../../../support/certificate";
import { noTls, rejection } from "../../../support/clientUnderTest";
import { badProxy, throughProxy, useProxy } from "../../../support/forwardProxy";
import { answer, serve, serveTls } from "../../../support/loopback";
import { downloadOf, fetched } from "../../../support/mirror/downloads";
import { eachObjectAddress, objectStoreAt, useObjectSecrets } from "../../../support/mirror/objectPlaces";
import { sha256Of } from "../../../support/mirror/storage";
import { requireTool } from "../../../support/requireTool";

const folder = mkdtempSync(join(tmpdir(), "authorities-"));
afterAll(() => rmSync(folder, { recursive: true }));
const caFile = join(folder, "ca.pem");
writeFileSync(caFile, authority);

const reach = {
  network: { origin: "https://docs.example.test", tls: { ...noTls, caFile } },
  rule: { loopback: false },
};
const link = "https://files.example.test/bundle.tar.gz?X-Amz-Signature=s3cr3t";

describe.skipIf(!requireTool("go"))("through a real forward proxy (goproxy, built with go)", () => {
  it("the archive behind a link is fetched, with the settings' authorities and without the key", async () => {
    const storage = await serveTls({}, answer(200, "archive"));
    const proxy = await throughProxy({ "files.example.test:443": storage.port });
    const { download } = downloadOf([link], reach);
    expect(await fetched(download)).toBe(sha256Of("archive"));
    await expect.poll(() => proxy.connects).toEqual(["CONNECT 200 files.example.test:443"]);
    expect(storage.requests[0]?.headers).not.toHaveProperty("authorization");
  });

  it.each(eachObjectAddress)(
    "%s is reached, with the process's authorities; one on this machine goes past it",
    async (_, address) => {
      const bucket = await serveTls({}, answer(200, "", { etag: '"1"', "content-length": "0" }));
      const proxy = await throughProxy({ "s3.example.test:443": bucket.port });
      const store = objectStoreAt(address, "https://s3.example.test");
      expect([...(await store.stat(["a"])).keys()]).toEqual(["a"]);
      await expect.poll(() => proxy.connects).toEqual(["CONNECT 200 s3.example.test:443"]);
      const local = await serve(answer(200, "", { etag: '"1"', "content-length": "0" }));
      await objectStoreAt(address, local.url).stat(["a"]);
      expect([local.requests.length, proxy.connects.length]).toEqual([1, 1]);
    },
  );
});

describe("a proxy that refuses the tunnel is reported as what it is", () => {
  it("at once, in front of the address of a link", async () => {
    const proxy = await badProxy((client) => client.end("HTTP/1.1 403 Forbidden\r\n\r\n"));
    const error = await rejection(fetched(downloadOf([link], reach).download));
    expect(error.message).toContain(`the proxy ${proxy.host} refused the tunnel (403)`);
    expect(proxy.connects).toHaveLength(1);
  });

  it("after three retries if it may pass, in front of the address of a link", async () => {
    const proxy = await badProxy((client) => client.end("HTTP/1.1 502 Bad Gateway\r\n\r\n"));
    const error = await rejection(fetched(downloadOf([link], reach).download));
    expect(error.message).toContain(`the proxy ${proxy.host} refused the tunnel (502)`);
    expect(proxy.connects).toHaveLength(4);
  });

  it.each(eachObjectAddress)("before %s", async (_, address) => {
    const proxy = await badProxy((client) => client.end("HTTP/1.1 407 Who\r\n\r\n"));
    useProxy(`http://me:s3cr3t@${proxy.host}`);
    const error = await rejection(objectStoreAt(address, "https://s3.example.test").stat(["a"]));
    expect(error.message).toContain(`the proxy ${proxy.host} does not accept the user name`);
    expect(proxy.connects).toHaveLength(1);
    expect(error.message).not.toContain("s3cr3t");
  });
});

beforeEach(() => {
  useObjectSecrets();
  setProcessCaFile(caFile);
});
afterEach(() => {
  vi.unstubAllEnvs();
  setProcessCaFile(undefined);
});
