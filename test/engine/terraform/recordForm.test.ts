import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { projectRoot } from "../../../tools/projectRoot";
import { tally } from "../../support/engineTest";
import { passHour } from "../../support/passHour";
import { recordForm } from "../../support/recordForm";
import { requireTool } from "../../support/requireTool";
import { runStatus } from "../../support/runStatus";
import {
  bundleAddress,
  completeAll,
  executableOf,
  hclSiteAndBundle,
  killTerraform,
  siteAddress,
  TerraformStack,
  terraformPlatform,
} from "../../support/terraformStack";
import { until } from "../../support/until";

const nothing = { code: 0, requests: [] };
const start = "POST /static-export/docs/jobs";
const look = (jobId: unknown) => `GET /static-export/docs/jobs/${jobId}`;

describe.skipIf(!requireTool("terraform")).concurrent("with terraform, on a platform of the second form", () => {
  it("an error shows the line of routes to paste, and then each run sends as few requests as on the first form", async () => {
    const platform = await terraformPlatform({ form: "record", jobTime: 0 });
    const stack = await TerraformStack.create(platform, "");
    const destination = pathToFileURL(join(stack.folder, "copies")).href;
    const declared = hclSiteAndBundle.replace(".job_id\n}", ".job_id\n  verify_link = true\n}");
    const program = (site = "") => `${declared.replace('example.com"\n', `example.com"\n${site}`)}
resource "docsplatform_bundle_mirror" "copy" {
  job_id      = docsplatform_static_export.site.job_id
  destination = "${destination}"
  layout      = "site"
}
`;
    const { DOCS_PLATFORM_ROUTES: all = "", ...project } = recordForm("docs");
    const { generateBundle, ...routes } = JSON.parse(all);
    Object.assign(stack.environment, project, { DOCS_PLATFORM_ROUTES: JSON.stringify(routes) });
    stack.write(program());
    const lost = await stack.apply();
    expect(lost.code).toBe(1);
    expect(lost.output.replace(/[\s│╷╵]+/g, " ")).toContain(
      `routes = { start_export = "${routes.startExport}", get_export = "${routes.getExport}", generate_bundle = "${generateBundle}" }`,
    );
    const { job_id: jobId } = stack.state(siteAddress)?.attributes ?? {};
    const mint = `POST /static-export/jobs/${jobId}/bundle`;
    expect(tally(lost.requests)).toEqual({ [start]: 1, [look(jobId)]: expect.any(Number), [mint]: 2 });

    stack.environment.DOCS_PLATFORM_ROUTES = all;
    expect(await stack.apply()).toMatchObject({ code: 0, requests: [look(jobId), look(jobId)] });
    expect(existsSync(join(stack.folder, "copies", "index.html"))).toBe(true);
    const { bundle_url: expired } = stack.state(bundleAddress)?.attributes ?? {};

    passHour(platform, stack);
    expect(await stack.apply()).toMatchObject({ code: 0, requests: [look(jobId)] });
    await stack.expectNothingToDo();
    const { bundle_url, ...renewed } = stack.state(bundleAddress)?.attributes ?? {};
    expect(renewed).toMatchObject({ job_id: jobId, version: jobId });
    expect(bundle_url).not.toBe(expired);

    stack.write(program().replace("verify_link = true", 'verify_link = true\n renew_before = "5m"'));
    expect(await stack.apply()).toMatchObject(nothing);
    expect(stack.state(bundleAddress)?.attributes.bundle_url).toBe(bundle_url);

    // The run is killed during its wait. The next run continues the job.
    platform.jobTime = 600_000;
    const triggers = "  triggers = { revision = 2 }\n";
    stack.write(program(triggers));
    const run = stack.start("apply", "-auto-approve");
    await until(() => platform.starts === 2);
    const second = platform.jobs.list()[1]?.jobId;
    await until(() => platform.requests.some(({ path }) => path.endsWith(`/${second}`)));
    await killTerraform({ run, stack });
    completeAll(platform);
    const resumed = await stack.apply();
    expect(resumed.code, resumed.output).toBe(0);
    expect(Object.keys(tally(resumed.requests))).toEqual([look(second)]);

    stack.write(program(`${triggers}  job_id = "${jobId}"\n`));
    const rollback = await stack.apply();
    expect(rollback.code, rollback.output).toBe(0);
    expect(tally(rollback.requests)).toEqual({ [look(jobId)]: 3 });
    expect(stack.state(bundleAddress)?.attributes.job_id).toBe(jobId);
    expect(await stack.destroy()).toMatchObject(nothing);
    expect(platform.starts).toBe(2);
  });

  it("an ephemeral link, a data source and `status` do their work by looks at the job's record", async () => {
    const platform = await terraformPlatform({ form: "record", jobTime: 0 });
    const stack = await TerraformStack.create(platform, "");
    Object.assign(stack.environment, recordForm("docs"));
    const example = readFileSync(join(projectRoot, "examples", "terraform", "ephemeralLink", "main.tf"), "utf8");
    stack.write(
      `${example}
data "docsplatform_static_export" "seen" {
  job_id = docsplatform_static_export.site.job_id
}
output "seen" {
  value = data.docsplatform_static_export.seen.status
}
`,
      "",
    );
    const { code, output, requests } = await stack.apply();
    expect(code, output).toBe(0);
    const jobId = stack.state(siteAddress)?.attributes.job_id;
    expect(Object.keys(tally(requests))).toEqual([start, look(jobId)]);
    expect(existsSync(join(stack.folder, "bundle.tar.gz"))).toBe(true);
    expect(stack.output("seen")).toBe("completed");
    const plan = await stack.plan();
    expect(plan.code, plan.output).toBe(0);
    expect(Object.keys(tally(plan.requests))).toEqual([look(jobId)]);

    const sent = platform.requests.length;
    const status = await runStatus(stack, { executable: executableOf(stack), flags: ["--terraform", "--json"] });
    expect(status.code, status.output).toBe(0);
    expect(JSON.parse(status.stdout)).toMatchObject({
      healthy: true,
      resources: expect.arrayContaining([expect.objectContaining({ type: "StaticExport", jobId })]),
    });
    expect(platform.requests.length).toBe(sent);
  });
});
