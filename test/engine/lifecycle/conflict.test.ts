import { expect, it } from "vitest";
import { testPlatform, testStack } from "../../support/engineTest";
import { until } from "../../support/until";

const domain = "docs.example.com";

it("on a platform that runs one job at a time for a domain, a run waits for somebody else's job, and then starts its own", async () => {
  const platform = await testPlatform({ jobTime: 600_000, oneJobPerDomain: true });
  const { jobId: theirs } = platform.jobs.add({ domain });
  platform.jobTime = 50;
  const stack = await testStack(platform, { site: { domain } });
  const running = stack.up();
  await until(() => platform.requests.filter(({ status }) => status === 409).length > 1);
  platform.jobs.complete(theirs);
  const { code, output } = await running;
  expect(code, output).toBe(0);
  expect(output).toContain(`export job ${theirs} of ${domain} is already running`);
  expect(output).toContain(`jobId: "${theirs}"`);
  expect(platform.starts).toBe(1);
  expect(await stack.outputs()).toMatchObject({ jobId: platform.jobs.list()[1]?.jobId, status: "completed" });
});
