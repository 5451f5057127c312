import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { authority } from "../../support/certificate";
import { startForwardProxy } from "../../support/forwardProxy";
import { serveTls } from "../../support/loopback";
import { requireTool } from "../../support/requireTool";
import { tarGzOf } from "./archives";
import { helmExecutable, toolTime } from "./helm";
import { Pod, toolsets } from "./pod";

const tools = toolsets.find(({ there }) => there);
const certificateAuthority = { configMap: "company-authorities", key: "company.pem" };
const storageHost = "storage.example.test:443";

describe.skipIf(!requireTool("go") || tools === undefined)("the download of a pod (by Helm, built with go)", () => {
  beforeAll(async () => void (await helmExecutable()), toolTime);
  afterAll(() => Pod.removeAll());

  /** Starts a storage whose certificate comes from a company's authority, and a proxy that connects to the storage. */
  async function company() {
    const archive = await tarGzOf([{ name: "index.html", content: "one" }]);
    const storage = await serveTls({}, (response) => response.end(archive));
    const proxy = await startForwardProxy({ [storageHost]: storage.port });
    onTestFinished(proxy.close);
    return { storage, proxy, url: `http://${proxy.host}` };
  }

  async function start(link: string, values: object) {
    const pod = await Pod.create(tools ?? { busybox: false }, link, { version: "job-1" }, values);
    pod.leave("authority/company.pem", authority);
    return { ...(await pod.start()), pages: pod.pages };
  }

  it("goes through the proxy, and trusts the company's authority", { timeout: toolTime }, async () => {
    const { proxy, url } = await company();
    const { code, message, pages } = await start(`https://${storageHost}/bundle`, {
      proxy: { url, except: "127.0.0.1" },
      certificateAuthority,
    });
    expect(code, message).toBe(0);
    expect(pages).toEqual(new Map([["index.html", "one"]]));
    expect(proxy.connects).toEqual([`CONNECT 200 ${storageHost}`]);
  });

  it("goes around the proxy to the hosts that are excepted", async () => {
    const { proxy, storage, url } = await company();
    const { code, message } = await start(`${storage.url}/bundle`, {
      proxy: { url, except: "localhost,127.0.0.1" },
      certificateAuthority,
    });
    expect(code, message).toBe(0);
    expect(proxy.connects).toEqual([]);
  });

  it("refuses a certificate of that authority without the value, at the first try, and names the value", async () => {
    const { storage } = await company();
    const { code, message } = await start(`${storage.url}/bundle`, {});
    expect(code).toBe(1);
    expect(message).toMatch(/certificate of the storage is not trusted: curl: \(60\) .*\. Set certificateAuthority/);
    expect(storage.connections).toBe(1);
    expect(storage.requests).toEqual([]);
  });
});
