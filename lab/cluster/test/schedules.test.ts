import { chmodSync, chownSync, cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, delimiter, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Platform, startPlatform } from "../../../simulator/index";
import { chart, helmExecutable, toolTime } from "../../../test/delivery/chart/helm";
import { core } from "../../../test/delivery/kubernetes/rollout";
import { pack } from "../../../test/package/installedProject";
import { campaign } from "../../../test/support/campaign";
import { type S3Server, startS3Server } from "../../../test/support/mirror/s3Server";
import { Pipeline } from "../../../test/support/pipeline";
import { folderOfFile } from "../../../test/support/temporaryFolder";
import { pulumiFolder } from "../../../tools/engines/pulumiDriver";
import { fetchNode } from "../../../tools/processes/fetchNode";
import { type EndedProcess, startProcess } from "../../../tools/processes/startProcess";
import { projectRoot } from "../../../tools/projectRoot";
import { getTool } from "../../../tools/toolchain/getTool";
import { clusterProblem } from "../cluster";
import { debianFolder } from "../debianFolder";
import { SiteCluster } from "../siteCluster";

const minutes = 60_000;
const trusted = "/etc/company";
const folder = folderOfFile();

async function succeed(command: readonly string[], cwd: string, env = process.env): Promise<EndedProcess> {
  const [file = "", ...args] = command;
  const { NODE_OPTIONS: _, VITEST: __, npm_config_local_prefix: ___, ...inherited } = env;
  const ended = await startProcess(file, args, { cwd, env: { ...inherited, INIT_CWD: cwd } }).ended;
  expect(ended.code, ended.output).toBe(0);
  return ended;
}

/** Uses a package from this clone, because no registry has it. */
async function install(project: string): Promise<void> {
  const tarball = await pack(folder);
  cpSync(tarball, join(project, basename(tarball)));
  const flags = ["--no-audit", "--no-fund", "--prefer-offline"];
  await succeed(["npm", "install", ...flags, `./${basename(tarball)}`, "@aws-sdk/client-s3"], project);
}

describe.runIf(campaign && clusterProblem() === "")("on a real node, the examples of renewal by a schedule", () => {
  let site: SiteCluster;
  let storage: S3Server;
  let platform: Platform;
  let origin: string;

  beforeAll(async () => {
    await helmExecutable();
    storage = await startS3Server();
    site = await SiteCluster.start();
    platform = await startPlatform({ queueTime: 0, jobTime: 50, linkLife: 100_000 });
    ({ origin } = await site.cluster.gateway(platform.baseUrl));
  }, toolTime);

  afterAll(async () => {
    await platform?.close();
    await site?.close();
    await storage?.close();
  });

  const kubectl = async (...args: string[]) => {
    const command = [await getTool("kubectl"), "--kubeconfig", site.cluster.plane.kubeconfig, "--namespace", "docs"];
    return (await succeed([...command, ...args], folder)).stdout;
  };

  async function image(): Promise<string> {
    const [programs, project] = [join(folder, "programs"), join(folder, "project")];
    cpSync(await pulumiFolder(), programs, { recursive: true });
    cpSync(await getTool("kubectl"), join(programs, "kubectl"));
    cpSync(join(await fetchNode("24"), "node"), join(programs, "node"));
    cpSync(join(projectRoot, "examples", "scheduledRenewal"), project, { recursive: true });
    await install(project);
    const rest = join(folder, "rest");
    mkdirSync(join(rest, "tmp"), { recursive: true });
    chmodSync(join(rest, "tmp"), 0o1777);
    const base = ["dash", "coreutils", "grep", "libstdc++6", "util-linux"];
    return site.cluster.images.make("renewal", {
      layers: [
        { folder: await debianFolder("renewal", base) },
        { folder: rest },
        { folder: programs, at: "/usr/local/bin" },
        { folder: dirname(site.cluster.caFile), at: trusted },
        { folder: project, at: "/project", owner: 1000 },
      ],
    });
  }

  it("a CronJob renews the link in the Secret that the chart reads, and no pod rolls", {
    timeout: 20 * minutes,
  }, async () => {
    // In a real cluster, a controller makes the volume for the claim. Here the test makes it.
    const disk = join(folder, "disk");
    mkdirSync(disk);
    chmodSync(folder, 0o755);
    chownSync(disk, 1000, 1000);
    const claimRef = { namespace: "docs", name: "docs-renewal" };
    const volume = { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], hostPath: { path: disk }, claimRef };
    await site.cluster.plane.ask("POST", "/api/v1/persistentvolumes", { metadata: { name: "disk" }, spec: volume });
    writeFileSync(
      join(folder, "settings.env"),
      [
        `DOCS_PLATFORM_BASE_URL=${origin}`,
        `DOCS_PLATFORM_API_KEY=${platform.apiKey}`,
        `DOCS_PLATFORM_CA_FILE=${join(trusted, basename(site.cluster.caFile))}`,
        "PULUMI_CONFIG_PASSPHRASE=passphrase",
      ].join("\n"),
    );
    const manifests = readFileSync(join(projectRoot, "examples", "scheduledRenewal", "cronJob.yaml"), "utf8")
      .replace("registry.example.com/docs/renewal:1", await image())
      .replace("*/3 * * * *", "* * * * *")
      .replace("everyMinutes=3", "everyMinutes=1");
    writeFileSync(join(folder, "cronJob.yaml"), manifests);
    await kubectl("create", "secret", "generic", "docs-renewal", "--from-env-file=settings.env");
    await kubectl("apply", "--filename", "cronJob.yaml");

    const link = async () => (await site.cluster.plane.ask("GET", `${core}/secrets/docs-bundle-link`)).data.bundleUrl;
    const clusterReport = async () =>
      `${await kubectl("get", "events")}\n${await kubectl("get", "pods", "--output", "yaml")}`;
    await expect
      .poll(link, { timeout: 5 * minutes, interval: 1_000 })
      .toBeDefined()
      .catch(async (error) => {
        throw new Error(`${error}\n${await clusterReport()}`);
      });
    const [job] = platform.jobs.list();
    const values = { enabled: true, existingSecret: "docs-bundle-link", version: job?.jobId };
    const before = await link();
    const first = await site.rollOut({ staticExport: values });
    await expect.poll(link, { timeout: 5 * minutes, interval: 1_000 }).not.toBe(before);
    expect([platform.starts, platform.counts.createBundle]).toEqual([1, 2]);
    // Meanwhile, the link of the first pods expires.
    await sleep(platform.linkLife / 2);
    await site.replacePod();
    const { current } = await site.rollOut({ staticExport: values });
    expect(current).toBe(first.current);
    await kubectl("delete", "cronjob", "docs-renewal");
    await site.uninstall();
  });

  it("two workflows publish, renew and roll back: their Helm release gets each link, and rolls with each version only", {
    timeout: 20 * minutes,
  }, async () => {
    const images = { fetch: site.image, server: site.image };
    const pipeline = await Pipeline.create({ ...platform, baseUrl: origin }, storage, {
      async install(checkout) {
        await install(checkout);
        writeFileSync(join(checkout, "values.yaml"), JSON.stringify({ images, maxBundleBytes: 64 * 1024 ** 2 }));
      },
      contexts: {
        vars: { DOCS_CHART: chart },
        secrets: { KUBECONFIG_CONTENT: readFileSync(site.cluster.plane.kubeconfig, "utf8") },
      },
      environment: {
        DOCS_PLATFORM_CA_FILE: site.cluster.caFile,
        PATH: [dirname(await helmExecutable()), await pulumiFolder(), process.env.PATH].join(delimiter),
      },
    });
    platform.resetCounts();
    const after = async (run: Promise<void>) => {
      await run;
      const { spec, metadata } = await site.cluster.plane.ask("GET", "/apis/apps/v1/namespaces/docs/deployments/docs");
      const { data } = await site.cluster.plane.ask("GET", `${core}/secrets/docs-link`);
      return { link: data.bundleUrl, version: JSON.stringify(spec.template), generation: metadata.generation };
    };
    const first = await after(pipeline.publish("a1"));
    const [{ jobId = "" } = {}] = platform.jobs.list().slice(-1);
    pipeline.setClockAhead(platform.linkLife);
    platform.clockOffset += platform.linkLife;
    const { link, ...kept } = await after(pipeline.renew());
    expect(link).not.toBe(first.link);
    expect(first).toMatchObject(kept);
    const second = await after(pipeline.publish("b2"));
    expect(second.generation).toBe(first.generation + 1);
    expect(await after(pipeline.renew(jobId))).toMatchObject({
      version: first.version,
      generation: first.generation + 2,
    });
    expect(platform.starts).toBe(2);
  });
});
