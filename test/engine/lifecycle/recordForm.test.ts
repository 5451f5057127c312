import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { anError, tally, testPlatform, testStack } from "../../support/engineTest";
import { killAll } from "../../support/fixtures/kills";
import { passHour } from "../../support/passHour";
import { recordForm } from "../../support/recordForm";
import { runStatus } from "../../support/runStatus";
import { until } from "../../support/until";

const nothing = { code: 0, requests: [] };
const start = "POST /static-export/docs/jobs";
const look = (jobId: unknown) => `GET /static-export/docs/jobs/${jobId}`;

describe("on a platform of the second form, where the completed job's record has the link", () => {
  it("a first run, an unchanged one, `status`, a renewal, a rollback, a kill and a destroy send as few requests as on the first form", async () => {
    const platform = await testPlatform({ form: "record", jobTime: 0 });
    const stack = await testStack(platform, {});
    const copies = join(stack.folder, "copies");
    const destination = pathToFileURL(copies).href;
    const program = (site: Record<string, unknown>) => ({
      site: { domain: "docs.example.com", ...site },
      bundle: { verifyLink: true },
      copy: { destination, layout: "site" },
    });
    stack.declare(program({}));

    // The default route is a path that this platform does not have. The error must say that the path is wrong.
    const lost = await stack.up();
    expect(lost).toMatchObject({ code: anError, requests: ["POST /static-export/jobs"] });
    expect(lost.output).toMatch(/DOCS_REFUSED: nothing of the admin API is at this address/);
    expect(lost.output).toMatch(/no export job of docs\.example\.com was started/);

    Object.assign(stack.environment, recordForm("docs"));
    const first = await stack.up();
    expect(first.code, first.output).toBe(0);
    const { values, bundleUrl, expiresAt, issuedAt, ...outputs } = await stack.outputs();
    const { jobId } = outputs;
    const { [start]: starts, [look(jobId)]: looks = 0, ...others } = tally(first.requests);
    expect([starts, others]).toEqual([1, {}]);
    // One poll sees the job's end, one gets the bundle's link, and one gets the mirror's link.
    expect(looks).toBeGreaterThanOrEqual(3);
    expect(outputs).toMatchObject({ status: "completed", version: jobId });
    expect(existsSync(join(copies, "index.html"))).toBe(true);

    expect(await stack.up("--expect-no-changes")).toMatchObject(nothing);
    const sent = platform.requests.length;
    const status = await runStatus(stack, { flags: ["--json"] });
    expect(status.code, status.output).toBe(0);
    const link = { resource: "bundle", type: "ExportBundle", jobId, expiresAt, link: "good" };
    expect(JSON.parse(status.stdout)).toMatchObject({
      healthy: true,
      resources: expect.arrayContaining([expect.objectContaining(link)]),
    });
    expect(platform.requests.length).toBe(sent);

    passHour(platform, stack);
    const renewal = await stack.up();
    expect({ code: renewal.code, requests: renewal.requests }, renewal.output).toEqual({
      code: 0,
      requests: [look(jobId)],
    });
    const { values: _, ...renewed } = await stack.outputs();
    expect(renewed).toMatchObject(outputs);
    expect(renewed.bundleUrl).not.toBe(bundleUrl);

    // The run is killed while it waits for a second export. The next run continues the job.
    platform.jobTime = 600_000;
    stack.declare(program({ triggers: 2 }));
    const begun = platform.requests.length;
    const killed = stack.start("up", "--yes", "--skip-preview");
    await until(() => platform.starts === 2 && platform.requests.slice(begun).some(({ method }) => method === "GET"));
    killAll(stack);
    await killed.ended;
    const second = platform.jobs.list()[1]?.jobId;
    platform.jobs.complete(String(second));
    await stack.pulumi("cancel", "--yes");
    const resumed = await stack.up();
    expect(resumed.code, resumed.output).toBe(0);
    expect(Object.keys(tally(resumed.requests))).toEqual([look(second)]);
    expect(platform.starts).toBe(2);

    stack.declare(program({ triggers: 2, jobId }));
    const rollback = await stack.up();
    expect(rollback.code, rollback.output).toBe(0);
    expect(tally(rollback.requests)).toEqual({ [look(jobId)]: 3 });
    expect(await stack.outputs()).toMatchObject({ jobId, version: jobId });

    expect(await stack.pulumi("destroy", "--yes", "--skip-preview")).toMatchObject(nothing);
    expect(platform.starts).toBe(2);
  }, 240_000);

  it("eight exports in one program are started as the platform allows: no run starts one twice, and each error says how many were wanted", async () => {
    const platform = await testPlatform({ form: "record", startsPerHour: 3 });
    const stack = await testStack(platform, { sites: 8, eachSite: { waitTimeout: "12s" } });
    Object.assign(stack.environment, recordForm("docs"));
    const ids = async () => {
      const sites = (await stack.resources()).filter(({ type }) => type.endsWith("StaticExport"));
      return sites.map(({ id }) => id);
    };
    for (const done of [3, 6, 8]) {
      const before = await ids();
      const { code, output } = await stack.up("--parallel", "8", "--continue-on-error");
      expect(code === 0, output).toBe(done === 8);
      const after = await ids();
      expect(after).toEqual(expect.arrayContaining(before));
      expect([new Set(after).size, platform.starts], output).toEqual([done, done]);
      if (done < 8) {
        const errors = output.match(
          /no export job of \S+ was started\. This run wanted \d starts, and the platform has accepted 3 of them\./g,
        );
        expect(new Set(errors).size, output).toBe(8 - done);
        passHour(platform, stack);
      }
    }
    expect(await stack.up()).toMatchObject(nothing);
  }, 240_000);
});
