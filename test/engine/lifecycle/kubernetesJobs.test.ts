import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Platform } from "../../../simulator/index";
import { pulumiEnvironment } from "../../../tools/engines/pulumiDriver";
import { startProcess } from "../../../tools/processes/startProcess";
import { projectRoot } from "../../../tools/projectRoot";
import { campaign } from "../../support/campaign";
import { testPlatform } from "../../support/engineTest";
import { killAll } from "../../support/fixtures/kills";
import { type S3Server, startS3Server } from "../../support/mirror/s3Server";
import { filesIn } from "../../support/mirror/storage";
import { linkPackages, processEnvironment } from "../../support/programFolder";
import { campaignSeed, seededRandom } from "../../support/random";
import { until } from "../../support/until";

const example = join(projectRoot, "examples", "kubernetesJobs");
const project = "docs-platform-kubernetes-jobs";
const stack = "site-1";
const random = seededRandom(campaignSeed());

let server: S3Server;
let count = 0;
beforeAll(async () => {
  server = await startS3Server();
}, 600_000);
afterAll(() => server?.close());

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) {
    killAll({ folder });
    rmSync(folder, { recursive: true, force: true });
  }
});

/** The state and the journal are in a bucket, because the files of a pod are lost with the pod. */
function stackInBucket(platform: Platform) {
  const bucket = `jobs-${count++}`;
  const state = `${server.destination(bucket, "state")}&region=us-east-1&s3ForcePathStyle=true&disableSSL=true`;
  const journal = server.destination(bucket, "journal");
  const inBucket = (path: string) => join(server.folderOf(bucket), path);
  const stateFile = inBucket(`state/.pulumi/stacks/${project}/${stack}.json`);
  return {
    /** Runs the example's script in a new copy of the project from the image. */
    async startPod() {
      const folder = realpathSync(mkdtempSync(join(tmpdir(), "pod-")));
      folders.push(folder);
      cpSync(example, folder, { recursive: true });
      linkPackages(folder);
      const environment = {
        ...process.env,
        ...processEnvironment(platform),
        ...(await pulumiEnvironment(folder)),
        ...server.environment,
        PULUMI_BACKEND_URL: state,
        DOCS_PLATFORM_JOURNAL: journal,
        DOCS_PLATFORM_JOURNAL_REQUIRED: "true",
      };
      const { ended } = startProcess("/bin/sh", ["updateStack.sh", stack], { cwd: folder, env: environment });
      return {
        ended,
        /** Kills every process of the container at once, as Kubernetes does. */
        kill() {
          killAll({ folder });
          return ended;
        },
      };
    },
    /** Leaves the lock file of a run that was killed while it created the stack. */
    leaveLockOfNoStack() {
      const lock = inBucket(
        `state/.pulumi/locks/organization/${project}/${stack}/0b9f0f4e-57a1-4a53-a0ab-5f1bf6fd4a2c.json`,
      );
      mkdirSync(dirname(lock), { recursive: true });
      writeFileSync(lock, JSON.stringify({ pid: 1, username: "root", hostname: "pod-0", timestamp: new Date() }));
    },
    saved: () => (existsSync(stateFile) ? readFileSync(stateFile, "utf8") : ""),
    locks: () =>
      filesIn(server.folderOf(bucket)).filter((file) =>
        file.startsWith(`state/.pulumi/locks/organization/${project}/${stack}/`),
      ),
  };
}

function expectComplete(platform: Platform, { saved, locks }: ReturnType<typeof stackInBucket>): void {
  expect(platform.starts).toBe(1);
  const { resources, pending_operations: pending } = JSON.parse(saved()).checkpoint.latest;
  const site = resources.find(({ urn }: { urn: string }) => urn.endsWith("::site"));
  expect(site.outputs).toMatchObject({ jobId: platform.jobs.list()[0]?.jobId, status: "completed" });
  expect(resources.some(({ urn }: { urn: string }) => urn.endsWith("::bundle"))).toBe(true);
  expect({ pending, locks: locks() }).toEqual({ pending: undefined, locks: [] });
}

describe.runIf(campaign)("the script of the Kubernetes Jobs, run again by nobody but Kubernetes", () => {
  it("ends with one job and a whole stack: after a kill while the stack was made, one in the wait, and one at any moment after", async () => {
    const platform = await testPlatform({ jobTime: 4_000 });
    const jobs = stackInBucket(platform);
    jobs.leaveLockOfNoStack();
    const first = await jobs.startPod();
    await until(() => platform.counts.getExport > 0);
    await first.kill();
    expect(jobs.locks()).toHaveLength(1);
    expect(jobs.saved()).toContain("pending_operations");
    const second = await jobs.startPod();
    await sleep(random.next() * 4_000);
    await second.kill();
    const { code, output } = await (await jobs.startPod()).ended;
    expect(code, output).toBe(0);
    expectComplete(platform, jobs);
  });
});
