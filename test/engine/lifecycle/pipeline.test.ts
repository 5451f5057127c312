import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { mint, requestsTo, testPlatform } from "../../support/engineTest";
import { killAll } from "../../support/fixtures/kills";
import { s3OfFile } from "../../support/mirror/s3Server";
import { passHour } from "../../support/passHour";
import { Pipeline } from "../../support/pipeline";
import { linkPackages } from "../../support/programFolder";
import { until } from "../../support/until";

const s3 = s3OfFile();

/** Replaces the workflow's installation and deployment. A test in lab/ runs both commands, with a cluster. */
const inPlaceOf = {
  "npm ci": "",
  "./deliver.sh": 'pulumi stack output --json --stack docs >"$RUNNER_TEMP/outputs.json"',
};

it("the pipeline publishes, renews, continues after a kill and rolls back on one stack, by one start for each revision", {
  timeout: 300_000,
}, async () => {
  const platform = await testPlatform();
  const pipeline = await Pipeline.create(platform, s3.server, { install: linkPackages, inPlaceOf });
  const after = async (run: Promise<void>) => {
    const first = platform.requests.length;
    await run;
    const { version } = JSON.parse(readFileSync(join(pipeline.folder, "outputs.json"), "utf8"));
    return { version, requests: requestsTo(platform).slice(first) };
  };

  const { version: first } = await after(pipeline.publish("a1"));
  expect(await after(pipeline.renew())).toEqual({ version: first, requests: [] });
  passHour(platform, pipeline);
  expect(await after(pipeline.renew())).toEqual({ version: first, requests: [mint(first)] });

  platform.jobTime = 60_000;
  const { getExport } = platform.counts;
  const killed = pipeline.publish("b2");
  await until(() => platform.counts.getExport > getExport);
  killAll(pipeline);
  await expect(killed).rejects.toThrow();
  expect(await after(pipeline.renew())).toMatchObject({ version: first });
  const second = String(platform.jobs.list()[1]?.jobId);
  platform.jobs.complete(second);
  expect(await after(pipeline.publish("b2"))).toMatchObject({ version: second });

  expect(await after(pipeline.renew(first))).toMatchObject({ version: first });
  expect(await after(pipeline.renew())).toEqual({ version: first, requests: [] });
  expect(platform.starts).toBe(2);

  const locks = join(s3.server.folderOf("pipeline"), "state/.pulumi/locks/organization/docs-platform-pipeline/docs");
  mkdirSync(locks, { recursive: true });
  const lock = JSON.stringify({ pid: 1, username: "somebody", hostname: "laptop", timestamp: new Date() });
  writeFileSync(join(locks, "of-a-person.json"), lock);
  await expect(pipeline.renew()).rejects.toThrow("created by somebody@laptop");
  expect(readFileSync(join(locks, "of-a-person.json"), "utf8")).toBe(lock);
});
