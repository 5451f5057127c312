import { expect, it } from "vitest";
import { anError, testStack } from "../../support/engineTest";
import { passHour } from "../../support/passHour";
import { busyElsewhere, movedStart, packedOnDemand } from "../../support/strangeAnswers";
import { strangePlatform } from "../../support/strangePlatform";

const domain = "docs.example.com";

it("a redirect, a job of another domain in the way, a bundle that is packed on demand and a forgotten job: each error says what to set or to do, and that works", async () => {
  const front = await strangePlatform();
  const stack = await testStack(front, {});
  const declare = (site: object = {}) => stack.declare({ site: { domain, ...site }, bundle: {} });
  const refusedUp = async () => {
    front.asked.length = 0;
    const { code, output } = await stack.up();
    expect(code, output).toEqual(anError);
    return output;
  };

  front.habit = movedStart;
  declare();
  const redirected = await refusedUp();
  expect(redirected).toContain(`a redirect to ${front.baseUrl}/v3/exports.`);
  const [, line] = /pulumi config set docs-platform:routes '(.*)'/.exec(redirected) ?? [];
  expect(line).toBe('{"startExport":"/v3/exports"}');
  expect(front.asked).toEqual([]);

  // The run waits for a job of another domain. The error must not advise to adopt this job.
  stack.environment.DOCS_PLATFORM_ROUTES = line;
  front.habit = busyElsewhere;
  declare({ waitTimeout: "2s" });
  const blocked = await refusedUp();
  expect(blocked).toContain("That job exports another domain.");
  expect(blocked).not.toMatch(/adopt|jobId: "theirs"/);

  front.habit = movedStart;
  declare();
  const first = await stack.up();
  expect(first.code, first.output).toBe(0);
  const { jobId, bundleUrl } = await stack.outputs();

  // The platform removes a bundle after an hour, and packs it again when a run asks for a link.
  passHour(front.platform, stack);
  front.habit = packedOnDemand(2);
  const before = front.requests.length;
  const renewal = await stack.up();
  expect(renewal.code, renewal.output).toBe(0);
  expect(front.requests.slice(before).map(({ path }) => path)).toEqual(
    Array(3).fill(`/v1/static-export/jobs/${jobId}/bundle`),
  );
  const renewed = await stack.outputs();
  expect(renewed.jobId).toBe(jobId);
  expect(renewed.bundleUrl).not.toBe(bundleUrl);

  // The platform no longer knows the job. The state keeps the link, and the error says how to start a new job.
  front.habit = {};
  delete stack.environment.DOCS_PLATFORM_ROUTES;
  passHour(front.platform, stack);
  front.platform.jobs.forget(String(jobId));
  const forgotten = await refusedUp();
  expect(front.asked).not.toContain("startExport");
  expect(forgotten).toContain("If the platform has forgotten the job, start a new one: run `pulumi up --replace");
  const site = (await stack.state("site"))?.urn ?? "";
  const anew = await stack.up("--replace", site);
  expect(anew.code, anew.output).toBe(0);
  expect((await stack.outputs()).jobId).not.toBe(jobId);
}, 240_000);
