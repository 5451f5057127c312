import { cpSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Platform, startPlatform } from "../../../simulator/index";
import { readInChromium } from "../../../test/delivery/browser/readInChromium";
import { helmExecutable, toolTime } from "../../../test/delivery/chart/helm";
import type { Rollout } from "../../../test/delivery/kubernetes/rollout";
import { campaign } from "../../../test/support/campaign";
import { noteLines } from "../../../test/support/campaignResults";
import { browserFile } from "../../../test/support/chromium";
import { EngineStack } from "../../../test/support/engineStack";
import { siteAndBundle } from "../../../test/support/engineTest";
import { markdownTable } from "../../../test/support/markdownTable";
import { type S3Server, startS3Server } from "../../../test/support/mirror/s3Server";
import { projectRoot } from "../../../tools/projectRoot";
import type { Gateway } from "../../../tools/servers/startGateway";
import { clusterProblem } from "../cluster";
import { SiteCluster } from "../siteCluster";
import { Load } from "./load";
import { openBucket } from "./openBucket";

const linkLife = 60_000;
const domain = "docs.example.com";
const minutes = 60_000;

interface World {
  site: SiteCluster;
  storage: S3Server;
}

interface Way {
  name: string;
  /** True if a new pod needs a valid link. */
  renews: boolean;
  /** Returns the resources that the stack declares in addition to the export. */
  declare(world: World): Promise<{ declared: object; environment?: Record<string, string> }>;
}

const ways: Way[] = [
  {
    name: "the link in a Secret",
    renews: true,
    declare: async () => ({ declared: { bundle: { renewBefore: "30s" } } }),
  },
  {
    name: "a mirror in S3",
    renews: false,
    declare: async ({ site, storage }) => {
      const { origin } = await site.cluster.gateway(storage.endpoint, { isTransparent: true });
      storage.destination("docs");
      await openBucket(storage, "docs");
      const destination = `s3://docs/site?endpoint=${origin}`;
      const mirror = { destination, publicUrl: `${origin}/docs/site`, values: true };
      return { declared: { mirror }, environment: storage.environment };
    },
  },
  {
    name: "an image in a registry",
    renews: false,
    declare: async ({ site }) => {
      const destination = `oci://${site.cluster.images.registry}/team/docs`;
      return { declared: { mirror: { destination, layout: "site", values: true } } };
    },
  },
];

const columns = ["way", "requests", "failed", "seconds a new pod needs", "a new pod while the platform is down"];

describe.runIf(campaign && clusterProblem() === "")("on a real node, with 10 requests a second", () => {
  const world = {} as World;
  const rows: string[][] = [];

  beforeAll(async () => {
    await helmExecutable();
    world.storage = await startS3Server();
    world.site = await SiteCluster.start();
  }, toolTime);

  afterAll(async () => {
    noteLines(["", markdownTable([columns, ...rows])]);
    await world.site?.close();
    await world.storage?.close();
  });

  describe.each(ways)("a site by $name", ({ name, renews, declare }) => {
    let platform: Platform;
    let gateway: Gateway;
    let stack: EngineStack;
    let beside: object;
    let load: Load;
    let first: Rollout;
    let firstJob: unknown;
    let firstEnd: number;
    const row = { requests: 0, failed: 0, seconds: "", down: "" };

    beforeAll(async () => {
      const { cluster } = world.site;
      platform = await startPlatform({ queueTime: 0, jobTime: 50, linkLife });
      gateway = await cluster.gateway(platform.baseUrl);
      stack = await EngineStack.create(platform, siteAndBundle);
      const { declared, environment } = await declare(world);
      beside = declared;
      const ofCluster = { DOCS_PLATFORM_BASE_URL: gateway.origin, DOCS_PLATFORM_CA_FILE: cluster.caFile };
      Object.assign(stack.environment, ofCluster, environment);
      if (!renews) {
        cpSync(join(projectRoot, "test/support/mirror/mirrorProgram.js"), join(stack.folder, "index.js"));
      }
    });

    afterAll(async () => {
      rows.push([name, ...Object.values(row).map(String)]);
      load?.stop();
      await world.site.uninstall();
      stack?.remove();
      await platform?.close();
    });

    /** If the inputs have changed, the next `up` replaces the export. */
    function program(site: object): void {
      stack.declare({ site: { domain, ...site }, ...beside });
    }

    async function upAndRollOut(): Promise<Rollout & { outputs: Record<string, unknown> }> {
      const { code, output } = await stack.up();
      expect(code, output).toBe(0);
      const outputs = await stack.outputs();
      return { ...(await world.site.rollOut(outputs.values as object)), outputs };
    }

    function expectNoFailure(step: string): void {
      const { requests, failures } = load.take();
      row.requests += requests;
      row.failed += failures.length;
      noteLines([`${String(requests).padStart(6)} requests, ${failures.length} failed  ${step}`]);
      expect(requests).toBeGreaterThan(0);
      expect(failures).toEqual([]);
    }

    it("is served by two pods", { timeout: 3 * minutes }, async () => {
      noteLines([`━━ ${name}`]);
      program({});
      const { outputs, ...rollout } = await upAndRollOut();
      first = rollout;
      firstJob = outputs.jobId;
      firstEnd = Date.parse(String(outputs.expiresAt));
      expect(first.pods).toHaveLength(2);
      load = new Load(`${await world.site.origin()}/`, 10);
    });

    it.skipIf(browserFile === undefined)("is read in a real Chromium through its Service", async () => {
      const { titles, faults } = await readInChromium(await world.site.origin());
      expect(titles.length).toBeGreaterThan(1);
      expect(faults).toEqual([]);
      expectNoFailure("read in Chromium");
    });

    it.runIf(renews)("keeps its pods while its link is renewed four times", { timeout: 10 * minutes }, async () => {
      const links = new Set([first.link]);
      while (links.size < 5) {
        await sleep(linkLife / 4);
        const { current, pods, link } = await upAndRollOut();
        expect({ current, pods }).toEqual({ current: first.current, pods: first.pods });
        links.add(link);
      }
      expectNoFailure("link renewed four times");
    });

    it("has another pod instead of one that is deleted", { timeout: 3 * minutes }, async () => {
      // The link of the first pods has expired by now. A new pod needs a renewed link.
      if (renews) {
        expect(Date.now()).toBeGreaterThan(firstEnd);
      }
      row.seconds = (await world.site.replacePod()).toFixed(1);
      expect((await world.site.pods()).map(({ metadata }) => metadata.uid)).not.toEqual(first.pods);
      expectNoFailure(`a pod deleted, another ready after ${row.seconds} s`);
    });

    it("rolls to a new export", { timeout: 3 * minutes }, async () => {
      program({ triggers: { release: 2 } });
      const second = await upAndRollOut();
      expect(second.outputs.jobId).not.toBe(firstJob);
      expectNoFailure("a new export rolled out");
    });

    it("rolls back to the old one", { timeout: 3 * minutes }, async () => {
      program({ jobId: firstJob });
      const back = await upAndRollOut();
      expect(back.outputs.version).toBe(firstJob);
      expect(back.current).toBe(first.current);
      expectNoFailure("rolled back");
    });

    it("is served on while the platform is down", { timeout: 3 * minutes }, async () => {
      gateway.isDown = true;
      const comes = await world.site.replacePod(30).then(
        () => true,
        () => false,
      );
      row.down = comes ? "comes" : "waits";
      expect(comes).toBe(!renews);
      expectNoFailure("platform down, and a pod deleted");
      gateway.isDown = false;
    });

    it("is served on when the stack is destroyed", { timeout: 3 * minutes }, async () => {
      const { code, output } = await stack.destroy();
      expect(code, output).toBe(0);
      await sleep(2_000);
      expectNoFailure("stack destroyed");
    });
  });
});
