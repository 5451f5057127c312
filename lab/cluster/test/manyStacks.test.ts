import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { type Platform, startPlatform } from "../../../simulator/index";
import { type KubernetesObject, toolTime } from "../../../test/delivery/chart/helm";
import { listObjects } from "../../../test/delivery/kubernetes/rollout";
import { campaign } from "../../../test/support/campaign";
import { noteLines } from "../../../test/support/campaignResults";
import { seeded } from "../../../test/support/fixtures/kills";
import { markdownTable } from "../../../test/support/markdownTable";
import { type S3Server, startS3Server } from "../../../test/support/mirror/s3Server";
import { filesIn } from "../../../tools/filesIn";
import { hasCondition } from "../../../tools/servers/controlPlane";
import { Cluster, clusterProblem } from "../cluster";
import { podProcesses } from "../node";
import { example, makeStacksImage } from "./stacksImage";

const minutes = 60_000;
const namespace = "stacks";
const core = `/api/v1/namespaces/${namespace}`;
const batch = `/apis/batch/v1/namespaces/${namespace}`;
const project = "docs-platform-kubernetes-jobs";
const random = seeded(Number(process.env.CAMPAIGN_SEED ?? 20_261_123));
const columns = ["stacks", "kills", "seconds", "jobs on the platform", "requests", "429", "pods"];

describe.runIf(campaign && clusterProblem() === "")("on a real node, the Jobs of examples/kubernetesJobs", () => {
  let cluster: Cluster;
  let storage: S3Server;
  let platform: Platform;
  let image: string;
  const rows: string[][] = [];

  beforeAll(async () => {
    storage = await startS3Server();
    cluster = await Cluster.start();
    image = await makeStacksImage(cluster);
  }, toolTime);

  afterEach(async () => {
    await cluster.plane.ask("DELETE", `/api/v1/namespaces/${namespace}`);
    await expect.poll(() => namespaces(), { timeout: 2 * minutes }).not.toContain(namespace);
    await platform.close();
  });

  afterAll(async () => {
    noteLines(["", ...markdownTable([columns, ...rows])]);
    await cluster?.close();
    await storage?.close();
  });

  async function namespaces(): Promise<string[]> {
    return (await listObjects(cluster.plane, "/api/v1/namespaces")).map(({ metadata }) => metadata.name);
  }

  /**
   * Makes a namespace with the things that all stacks share: a platform with 5 requests a second, one key, one bucket.
   */
  async function settle(bucket: string): Promise<void> {
    platform = await startPlatform({ queueTime: 0, jobTime: 10_000, requestsPerSecond: 5 });
    storage.destination(bucket);
    const { origin } = await cluster.gateway(platform.baseUrl);
    const s3 = (await cluster.gateway(storage.endpoint, { isTransparent: true })).origin;
    const { plane } = cluster;
    await plane.ask("POST", "/api/v1/namespaces", {
      metadata: { name: namespace, labels: { "pod-security.kubernetes.io/enforce": "restricted" } },
    });
    const settings = parse(readFileSync(join(example, "settings.yaml"), "utf8"));
    Object.assign(settings.data, {
      DOCS_PLATFORM_BASE_URL: origin,
      PULUMI_BACKEND_URL: `s3://${bucket}/state?endpoint=${s3}&region=us-east-1&s3ForcePathStyle=true`,
      DOCS_PLATFORM_JOURNAL: `s3://${bucket}/journal?endpoint=${encodeURIComponent(s3)}&region=us-east-1`,
    });
    await plane.ask("POST", `${core}/configmaps`, settings);
    const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY } = storage.environment;
    const secrets = { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, PULUMI_CONFIG_PASSPHRASE: "a passphrase" };
    await plane.ask("POST", `${core}/secrets`, {
      metadata: { name: "docs-stacks" },
      stringData: { ...secrets, DOCS_PLATFORM_API_KEY: platform.apiKey },
    });
  }

  /** Reads the objects of an example's manifest, for one stack. */
  function manifest(file: string, stack: string): KubernetesObject[] {
    const text = readFileSync(join(example, file), "utf8").replaceAll("STACK", stack);
    return parseAllDocuments(text.replace("registry.example.com/docs/stacks:1", image)).map((each) => each.toJS());
  }

  async function createJobs(count: number): Promise<void> {
    for (let stack = 1; stack <= count; stack++) {
      for (const job of manifest("job.yaml", `site-${stack}`)) {
        await cluster.plane.ask("POST", `${batch}/jobs`, job);
      }
    }
  }

  /** Counts the Jobs that have succeeded. A failed Job is an error. */
  async function completed(): Promise<number> {
    const jobs = await listObjects(cluster.plane, `${batch}/jobs`);
    const failed = jobs.filter(({ status }) => hasCondition(status, "Failed"));
    if (failed.length > 0) {
      throw new Error(`${failed[0]?.metadata.name}: ${JSON.stringify(failed[0]?.status)}`);
    }
    return jobs.filter(({ status }) => hasCondition(status, "Complete")).length;
  }

  /** Kills a running pod: all its processes at once, or by an eviction, as the drain of a node does. */
  async function kill(): Promise<boolean> {
    const pods = (await listObjects(cluster.plane, `${core}/pods`)).filter(({ status }) => status.phase === "Running");
    const pod = pods[Math.floor(random() * pods.length)];
    if (pod === undefined) {
      return false;
    }
    if (random() < 0.5) {
      for (const id of podProcesses(String(pod.metadata.uid))) {
        process.kill(id, "SIGKILL");
      }
    } else {
      const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: pod.metadata.name } };
      await cluster.plane.ask("POST", `${core}/pods/${pod.metadata.name}/eviction`, eviction);
    }
    return true;
  }

  /** Asserts that every stack is complete with one job, and that no lock is left. */
  function expectComplete(bucket: string, count: number): void {
    const state = join(storage.folderOf(bucket), "state", ".pulumi");
    const folder = join(state, "stacks", project);
    const jobs = new Set<unknown>();
    for (let stack = 1; stack <= count; stack++) {
      const { resources } = JSON.parse(readFileSync(join(folder, `site-${stack}.json`), "utf8")).checkpoint.latest;
      const site = resources.find(({ urn }: { urn: string }) => urn.endsWith("::site"));
      expect(site.outputs).toMatchObject({ status: "completed" });
      expect(resources.some(({ urn }: { urn: string }) => urn.endsWith("::bundle"))).toBe(true);
      jobs.add(site.outputs.jobId);
    }
    expect(jobs.size).toBe(count);
    expect(platform.starts).toBe(count);
    expect(filesIn(state).filter((file) => /^locks\/.*\.json$/.test(file))).toEqual([]);
  }

  it.each([
    [1, 0],
    [10, 0],
    [40, 0],
    [40, 20],
  ])(
    "complete %i stacks while %i pods are killed: a job each, no lock, no human",
    {
      timeout: 30 * minutes,
    },
    async (count, kills) => {
      const bucket = `stacks-${count}-${kills}`;
      await settle(bucket);
      const begin = Date.now();
      await createJobs(count);
      for (let killed = 0; killed < kills; ) {
        await sleep(1_000 + random() * 8_000);
        if (await kill()) {
          killed++;
        }
      }
      while ((await completed()) < count) {
        await sleep(500);
      }
      const seconds = Math.round((Date.now() - begin) / 1_000);
      const pods = (await listObjects(cluster.plane, `${core}/pods`)).length;
      const refused = platform.requests.filter(({ status }) => status === 429).length;
      rows.push([count, kills, seconds, platform.starts, platform.requests.length, refused, pods].map(String));
      expectComplete(bucket, count);
    },
  );

  it("of a schedule run by themselves", { timeout: 10 * minutes }, async () => {
    await settle("schedule");
    for (const each of manifest("cronJob.yaml", "site-1")) {
      each.spec.schedule = "* * * * *";
      await cluster.plane.ask("POST", `${batch}/cronjobs`, each);
    }
    await expect.poll(() => completed(), { timeout: 4 * minutes, interval: 1_000 }).toBeGreaterThan(0);
    expectComplete("schedule", 1);
  });
});
