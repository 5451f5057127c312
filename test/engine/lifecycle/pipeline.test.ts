import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { pulumiEnvironment } from "../../../tools/engines/pulumiDriver";
import { startProcess } from "../../../tools/processes/startProcess";
import { projectRoot } from "../../../tools/projectRoot";
import { mint, requestsTo, testPlatform } from "../../support/engineTest";
import { killAll } from "../../support/fixtures/kills";
import { s3OfFile } from "../../support/mirror/s3Server";
import { fastStart, laterClock, linkPackages, processEnvironment } from "../../support/programFolder";
import { temporaryFolder } from "../../support/temporaryFolder";
import { until } from "../../support/until";
import { type Contexts, WorkflowRunner } from "../../support/workflowRun";

const example = join(projectRoot, "examples", "pipeline");
const linkLife = 10 * 60_000;
const s3 = s3OfFile();

/** The lab installs the package and delivers to a cluster (lab/cluster/test). Here the packages are linked. */
const inPlaceOf = {
  "npm ci": "",
  "./deliver.sh": 'pulumi stack output --json --stack docs >"$RUNNER_TEMP/outputs.json"',
};

it("the pipeline publishes, renews, goes on after a kill and rolls back on one stack, by one start for each revision", async () => {
  const platform = await testPlatform({ linkLife });
  const folder = temporaryFolder();
  const checkout = join(folder, "checkout");
  cpSync(example, checkout, { recursive: true });
  linkPackages(checkout);
  const { DOCS_PLATFORM_BASE_URL = "", DOCS_PLATFORM_API_KEY = "", ...fast } = processEnvironment(platform);
  const { VITEST: _, ...inherited } = process.env;
  const { PULUMI_BACKEND_URL = "", PULUMI_CONFIG_PASSPHRASE = "", ...ofStack } = await pulumiEnvironment(folder);
  const bucket = s3.server.environment;
  const { AWS_ACCESS_KEY_ID = "", AWS_SECRET_ACCESS_KEY = "" } = bucket;
  const runner = new WorkflowRunner(
    folder,
    { ...inherited, ...fast, ...ofStack, ...bucket, PULUMI_NODEJS_TRANSPILE_ONLY: "true" },
    {
      vars: { DOCS_PLATFORM_BASE_URL, PULUMI_BACKEND_URL, DOCS_PLATFORM_JOURNAL: s3.server.destination("pipeline") },
      secrets: { PULUMI_CONFIG_PASSPHRASE, DOCS_PLATFORM_API_KEY, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY },
    },
  );
  const env = { ...runner.environment, PULUMI_BACKEND_URL, PULUMI_CONFIG_PASSPHRASE };
  const made = await startProcess("pulumi", ["stack", "init", "docs"], { cwd: checkout, env }).ended;
  expect(made.code, made.output).toBe(0);

  const run = async (workflow: "publish" | "renew", given: Contexts) => {
    const first = platform.requests.length;
    await runner.run(join(example, `${workflow}.yml`), workflow, given, inPlaceOf);
    const { version } = JSON.parse(readFileSync(join(folder, "outputs.json"), "utf8"));
    return { version, requests: requestsTo(platform).slice(first) };
  };
  const publish = (sha: string) => run("publish", { github: { sha } });
  const renew = (jobId = "") => run("renew", { inputs: { jobId } });

  const { version: first } = await publish("a1");
  expect(await renew()).toEqual({ version: first, requests: [] });
  Object.assign(runner.environment, laterClock(linkLife, fastStart().NODE_OPTIONS));
  platform.clockOffset = linkLife;
  expect(await renew()).toEqual({ version: first, requests: [mint(first)] });

  platform.jobTime = 60_000;
  const { getExport } = platform.counts;
  const killed = publish("b2");
  await until(() => platform.counts.getExport > getExport);
  killAll({ folder });
  await expect(killed).rejects.toThrow();
  expect(await renew()).toMatchObject({ version: first });
  const second = String(platform.jobs.list()[1]?.jobId);
  platform.jobs.complete(second);
  expect(await publish("b2")).toMatchObject({ version: second });

  expect(await renew(first)).toMatchObject({ version: first });
  expect(await renew()).toEqual({ version: first, requests: [] });
  expect(platform.starts).toBe(2);

  const lock = join(folder, "backend/.pulumi/locks/organization/docs-platform-pipeline/docs/of-a-person.json");
  writeFileSync(lock, JSON.stringify({ pid: 1, username: "somebody", hostname: "laptop", timestamp: new Date() }));
  await expect(renew()).rejects.toThrow("created by somebody@laptop");
  expect(readFileSync(lock, "utf8")).toContain("somebody");
});
