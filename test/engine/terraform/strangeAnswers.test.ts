import { expect, it } from "vitest";
import { passHour } from "../../support/passHour";
import { requireTool } from "../../support/requireTool";
import { busyElsewhere, movedStart, packedOnDemand } from "../../support/strangeAnswers";
import { strangePlatform } from "../../support/strangePlatform";
import { bundleAddress, hclSiteAndBundle, TerraformStack } from "../../support/terraformStack";

it.skipIf(!requireTool("terraform"))(
  "with terraform, a redirect, a job of another domain in the way, a bundle that is packed on demand and a forgotten job: each error says what to set or to do, and that works",
  async () => {
    const front = await strangePlatform();
    const stack = await TerraformStack.create(front, hclSiteAndBundle);

    front.habit = movedStart;
    const redirected = await stack.expectApply(1);
    expect(redirected).toContain(`a redirect to ${front.baseUrl}/v3/exports.`);
    expect(redirected).toContain('routes = { start_export = "/v3/exports" }');
    expect(front.asked).toEqual([]);

    stack.environment.DOCS_PLATFORM_ROUTES = '{"startExport":"/v3/exports"}';
    front.habit = busyElsewhere;
    stack.write(hclSiteAndBundle.replace('example.com"', 'example.com"\n  wait_timeout = "2s"'));
    const blocked = await stack.expectApply(1);
    expect(blocked).toContain("That job exports another domain.");
    expect(blocked).not.toMatch(/adopt|job_id = "theirs"/);

    front.habit = movedStart;
    stack.write(hclSiteAndBundle);
    await stack.expectApply(0);
    const { job_id: jobId, bundle_url: link } = stack.state(bundleAddress)?.attributes ?? {};

    passHour(front.platform, stack);
    front.habit = packedOnDemand(2);
    const mint = `POST /static-export/jobs/${jobId}/bundle`;
    expect(await stack.apply()).toMatchObject({ code: 0, requests: [mint, mint, mint] });
    const renewed = stack.state(bundleAddress)?.attributes;
    expect(renewed?.job_id).toBe(jobId);
    expect(renewed?.bundle_url).not.toBe(link);

    front.habit = {};
    delete stack.environment.DOCS_PLATFORM_ROUTES;
    passHour(front.platform, stack);
    front.platform.jobs.forget(String(jobId));
    front.asked.length = 0;
    const forgotten = await stack.expectApply(1);
    expect(front.asked).not.toContain("startExport");
    expect(forgotten).toMatch(/If the platform has forgotten the job, start a new one: run `\w+ apply -replace=/);
    await stack.expectApply(0, "-replace=docsplatform_static_export.site");
    expect(stack.state(bundleAddress)?.attributes.job_id).not.toBe(jobId);
  },
);
