import { randomBytes } from "node:crypto";
import http from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { tarGzOf } from "../../../test/delivery/chart/archives";
import { helmExecutable, type KubernetesObject, toolTime } from "../../../test/delivery/chart/helm";
import { core } from "../../../test/delivery/kubernetes/rollout";
import { campaign } from "../../../test/support/campaign";
import { noteLines } from "../../../test/support/campaignResults";
import { siteAndBundle } from "../../../test/support/engineTest";
import { openPort } from "../../../test/support/loopback";
import { clusterProblem } from "../cluster";
import { SiteCluster, SiteStack } from "./servedSite";

const minutes = 60_000;
const mebibyte = 1024 ** 2;

/** The part of an archive that a storage sends. */
type Send = (archive: Buffer, response: http.ServerResponse) => void;

describe.runIf(campaign && clusterProblem() === "")("on a real node, on a bad day,", () => {
  let site: SiteCluster;
  let archive: Buffer;
  const open: { close(): unknown }[] = [];

  beforeAll(async () => {
    await helmExecutable();
    site = await SiteCluster.start();
    const served = await SiteStack.create(site, siteAndBundle, 15 * minutes);
    open.push(served);
    const outputs = await served.up();
    const plain = String(outputs.bundleUrl).replace(served.gateway.origin, served.platform.baseUrl);
    archive = Buffer.from(await (await fetch(plain)).arrayBuffer());
  }, toolTime);

  afterEach(async () => {
    await site.uninstall();
    for (const thing of open.splice(0)) {
      await thing.close();
    }
  });

  afterAll(() => site?.close());

  /** The values with a link to a storage that misbehaves as told. */
  async function storage(send: Send): Promise<{ bundleUrl: string; version: string; enabled: true }> {
    const server = http.createServer((_, response) => {
      response.on("error", () => {});
      send(archive, response);
    });
    const port = await openPort(server);
    open.push({ close: () => server.close().closeAllConnections() });
    const { origin } = await site.cluster.gateway(`http://127.0.0.1:${port}`);
    return { enabled: true, version: "1.0", bundleUrl: `${origin}/site.tar.gz?X-Amz-Signature=${"ab".repeat(32)}` };
  }

  /** The status of the fetching container in the pod, once it has failed. */
  async function reason(seconds = 150): Promise<string> {
    for (let left = seconds; left > 0; left--, await sleep(1_000)) {
      for (const { status } of await site.pods()) {
        const { state = {}, lastState = {} } = status.initContainerStatuses?.[0] ?? {};
        const { message } = state.terminated ?? lastState.terminated ?? {};
        if (message) {
          return message;
        }
      }
    }
    throw new Error(`no pod has failed: ${await site.events()}`);
  }

  /** The log of the fetching container, of the first pod in which it has begun. */
  async function fetchLog(): Promise<string> {
    const [pod] = await site.pods();
    const path = `${core}/pods/${pod?.metadata.name}/log?container=fetch`;
    return site.cluster.plane.read("GET", path).catch(() => "");
  }

  it("a link that has expired and that nobody renewed is told, and the next link is taken without a rollout", {
    timeout: 12 * minutes,
  }, async () => {
    const served = await SiteStack.create(site, siteAndBundle, 20_000);
    open.push(served);
    const first = await site.rollOut((await served.up()).values as object);
    await sleep(21_000);
    await site.deletePod();
    const told = await reason();
    expect(told).toContain("the storage refuses the link with 403: it has expired, or the bundle is");
    expect(told).toContain("Renew it with `pulumi up`");
    const renewed = Date.now();
    served.platform.linkLife = 15 * minutes;
    const second = await site.rollOut((await served.up()).values as object);
    noteLines([`from the renewal until the pod was ready: ${Math.round((Date.now() - renewed) / 1_000)} s`]);
    expect(second.current).toBe(first.current);
  });

  it("an archive that is cut short is told", { timeout: 5 * minutes }, async () => {
    const staticExport = await storage((whole, response) => response.end(whole.subarray(0, whole.length / 2)));
    await site.install({ staticExport });
    expect(await reason()).toMatch(/the archive is damaged or cut short: .*unexpected (end of file|EOF)/i);
  });

  it("an archive with other bytes than the pinned ones is told", { timeout: 5 * minutes }, async () => {
    const staticExport = await storage((whole, response) => response.end(whole));
    await site.install({ staticExport: { ...staticExport, sha256: "ab".repeat(32) } });
    expect(await reason()).toContain("and not the abab");
  });

  it("a storage that is too slow is told after three tries", { timeout: 6 * minutes }, async () => {
    const staticExport = await storage((whole, response) => drip(whole, response, 100));
    await site.install({ staticExport });
    expect(await reason(240)).toMatch(/no download in 3 tries, the last ended with: .*too slow/i);
  });

  it("a storage that is slow is waited for, and the log shows how far it is", { timeout: 6 * minutes }, async () => {
    const staticExport = await storage((whole, response) => drip(whole, response, whole.length / 45));
    const rolledOut = site.rollOut({ staticExport });
    await expect.poll(() => fetchLog(), { timeout: 60_000, interval: 1_000 }).toMatch(/\d+ bytes of it are here/);
    await rolledOut;
  });

  it("a disk that is full is told", { timeout: 8 * minutes }, async () => {
    await site.cluster.stopNode();
    await site.cluster.startNode(300 * mebibyte);
    await site.cluster.plane.ask("POST", `${core}/pods`, filler(site.image, 299));
    const { plane } = site.cluster;
    const phase = async () => (await plane.ask("GET", `${core}/pods/filler`)).status.phase;
    await expect.poll(phase, { timeout: 90_000 }).toBe("Running");
    const noise = randomBytes(6 * mebibyte).toString("latin1");
    const large = await tarGzOf([
      { name: "index.html", content: "one" },
      { name: "noise", content: noise },
    ]);
    const staticExport = await storage((_, response) => response.end(large));
    await site.install({ staticExport, maxBundleBytes: 16 * mebibyte, replicas: 1 });
    expect(await reason()).toContain("the archive cannot be stored");
  });
});

/** Sends this many bytes in each second. */
function drip(bytes: Buffer, response: http.ServerResponse, perSecond: number): void {
  let at = 0;
  response.setHeader("content-length", bytes.length);
  const timer = setInterval(() => {
    response.write(bytes.subarray(at, at + perSecond));
    at += perSecond;
    if (at >= bytes.length) {
      response.end();
    }
  }, 1_000);
  response.on("close", () => clearInterval(timer));
}

/** A pod that writes this many mebibytes to the disk of its node. */
function filler(image: string, mebibytes: number): KubernetesObject {
  const security = {
    allowPrivilegeEscalation: false,
    capabilities: { drop: ["ALL"] },
    runAsNonRoot: true,
    runAsUser: 10_001,
    seccompProfile: { type: "RuntimeDefault" },
  };
  const command = ["sh", "-c", `head -c ${mebibytes}M /dev/zero >/data/file; exec sleep infinity`];
  const volumeMounts = [{ name: "data", mountPath: "/data" }];
  const container = { name: "filler", image, command, securityContext: security, volumeMounts };
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "filler" },
    spec: {
      containers: [container],
      securityContext: { fsGroup: 10_001 },
      terminationGracePeriodSeconds: 0,
      volumes: [{ name: "data", emptyDir: {} }],
    },
  };
}
