import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect } from "vitest";
import { serve } from "../../support/loopback";
import { filesIn } from "../../support/mirror/storage";
import { hasTool, requireTool } from "../../support/requireTool";
import { temporaryFolder } from "../../support/temporaryFolder";
import { Pod, toolsets } from "../chart/pod";
import { image } from "../chart/values";
import type { DrawnSite } from "./drawnSite";
import { filesOfImage, publishSite } from "./publish";
import { startNginx, type WebServer } from "./webServers";

export const canDeliver =
  requireTool("go") && hasTool("nginx") && toolsets.some(({ there, busybox }) => there && !busybox);

/** Each key is the chart's values as JSON. */
const pods = new Map<string, Promise<{ pod: Pod; server: WebServer }>>();

function podWith(staticExport: { image?: string }, others: object): Promise<{ pod: Pod; server: WebServer }> {
  const key = JSON.stringify([staticExport, others]);
  const found = pods.get(key) ?? startPod(staticExport, others);
  pods.set(key, found);
  return found;
}

async function startPod(staticExport: object, others: object): Promise<{ pod: Pod; server: WebServer }> {
  const pod = await Pod.create({ busybox: false }, "", staticExport, others);
  return { pod, server: await startNginx(pod) };
}

/** Returns the address of a server with the site from the archive. */
type Deliver = (archive: Buffer, site: Pick<DrawnSite, "outerFolder">, basePath: string) => Promise<string>;

export const deliveries: Record<string, Deliver> = {
  "the chart with a link": async (archive, { outerFolder }, basePath) => {
    const { pod, server } = await podWith({}, { basePath, outerFolder });
    const { url } = await serve((response) => response.end(archive));
    pod.link = `${url}/bundle`;
    rmSync(pod.path("site/bundle"), { recursive: true, force: true });
    const { code, message } = await pod.start();
    expect(code, message).toBe(0);
    return server.origin;
  },
  "the chart with an image": async (archive, site, basePath) => {
    const { pod, server } = await podWith({ image: image.image }, { basePath });
    pod.mount(await filesOfImage(archive, site));
    return server.origin;
  },
  "the chart's server over a mirror's folder": async (archive, site, basePath) => {
    const { pod, server } = await podWith({ image: image.image }, { basePath });
    const folder = temporaryFolder();
    await publishSite(archive, site, pathToFileURL(folder).href);
    pod.mount(filesIn(folder).map((path) => [path, readFileSync(join(folder, path), "utf8")]));
    return server.origin;
  },
};

export async function closeDeliveries(): Promise<void> {
  await Promise.all([...pods.values()].map(async (pod) => (await pod).server.close()));
  pods.clear();
  Pod.removeAll();
}
