import { chmodSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { anError, testPlatform, testStack } from "../../support/engineTest";
import { killAll } from "../../support/fixtures/kills";
import { until } from "../../support/until";

const domain = "docs.example.com";

it("a start of a killed run is not made again where others may write to the journal's folder, required or not", async () => {
  const platform = await testPlatform({ jobTime: 600_000 });
  const stack = await testStack(platform, { site: { domain } });
  const journal = join(stack.folder, "journal");
  stack.environment.DOCS_PLATFORM_JOURNAL = journal;
  const run = stack.start("up", "--yes", "--skip-preview");
  await until(() => platform.counts.getExport > 0);
  killAll(stack);
  await run.ended;
  await stack.pulumi("cancel", "--yes");
  // An administrator may have given the journal's folder to all users, or a volume may be mounted for a group.
  chmodSync(journal, 0o777);
  for (const required of ["false", "true"]) {
    stack.environment.DOCS_PLATFORM_JOURNAL_REQUIRED = required;
    const { code, output } = await stack.up();
    expect({ code, starts: platform.starts }, output).toEqual({ code: anError, starts: 1 });
    expect(output).toContain("DOCS_JOURNAL");
    expect(output).toContain(`chmod -R go= ${journal}`);
  }
  chmodSync(journal, 0o700);
  const [job] = platform.jobs.list();
  platform.jobs.complete(String(job?.jobId));
  const { code, output } = await stack.up();
  expect({ code, starts: platform.starts }, output).toEqual({ code: 0, starts: 1 });
  expect(await stack.state("site")).toMatchObject({ id: job?.jobId });
});
