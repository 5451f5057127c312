import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { requireTool } from "../../support/requireTool";
import { siteAddress, TerraformStack, terraformPlatform } from "../../support/terraformStack";

const exports = (more = "") => `resource "docsplatform_static_export" "site" {
  domain = "docs.example.com"
${more}}
`;

/** Applies a configuration whose wait ends by its time-out, and lets its jobs complete afterwards. */
async function afterTimeOut(configuration: string) {
  const platform = await terraformPlatform({ jobTime: Number.POSITIVE_INFINITY });
  const stack = await TerraformStack.create(platform, configuration);
  expect((await stack.apply()).output).toContain("DOCS_WAIT_TIMEOUT");
  platform.jobTime = 0;
  return { platform, stack };
}

function useOtherJournal(stack: TerraformStack): void {
  stack.environment.DOCS_PLATFORM_JOURNAL = mkdtempSync(join(stack.folder, "journal-"));
}

const completeAll = ({ jobs }: Awaited<ReturnType<typeof terraformPlatform>>) => {
  for (const { jobId } of jobs.list()) {
    jobs.complete(jobId);
  }
};

describe.skipIf(!requireTool("terraform")).concurrent("a job whose wait has ended too early, on Terraform,", () => {
  it.each<[string, (stack: TerraformStack) => Promise<{ code: number | null; output: string }>]>([
    ["-refresh=false on another machine", (stack) => stack.apply("-refresh=false")],
    [
      "a saved plan of another machine on a third one",
      async (stack) => {
        expect((await stack.plan("-out=planned")).code).toBe(2);
        useOtherJournal(stack);
        return stack.run("apply", "planned");
      },
    ],
  ])("goes on by %s: 0 starts", async (_, apply) => {
    const { platform, stack } = await afterTimeOut(exports('  wait_timeout = "3s"\n'));
    completeAll(platform);
    useOtherJournal(stack);
    const { code, output } = await apply(stack);
    expect(code, output).toBe(0);
    expect(platform.starts).toBe(1);
  });

  it("is not handed to an equal export that is replaced beside it: 1 start", async () => {
    const platform = await terraformPlatform();
    const stack = await TerraformStack.create(platform, exports());
    expect((await stack.apply()).code).toBe(0);
    platform.jobTime = Number.POSITIVE_INFINITY;
    stack.write(`${exports()}${exports('  wait_timeout = "3s"\n').replace('"site"', '"slow"')}`);
    expect((await stack.apply()).output).toContain("DOCS_WAIT_TIMEOUT");
    const before = platform.jobs.list().map(({ jobId }) => jobId);
    platform.jobTime = 0;
    const { code, output } = await stack.apply(`-target=${siteAddress}`, `-replace=${siteAddress}`);
    expect(code, output).toBe(0);
    expect(platform.starts).toBe(3);
    expect(before).not.toContain(stack.state(siteAddress)?.attributes.job_id);
  });
});

describe.skipIf(!requireTool("terraform"))("two configurations of the provider in one run", () => {
  it("start equal exports side by side, a job each", async () => {
    const platform = await terraformPlatform();
    const stack = await TerraformStack.create(
      platform,
      `provider "docsplatform" {
  alias = "other"
}
${exports()}${exports("  provider = docsplatform.other\n").replace('"site"', '"other"')}`,
    );
    const { code, output } = await stack.apply();
    expect(code, output).toBe(0);
    expect(platform.starts).toBe(2);
  });
});

describe.skipIf(!requireTool("terraform"))("a start whose answer was lost, on Terraform,", () => {
  it("is not settled by an export that adopts an older job", async () => {
    const platform = await terraformPlatform({ dialect: { times: true } });
    const { jobId } = platform.jobs.add({ domain: "docs.example.com", status: "completed" });
    platform.clockOffset = 3_600_000;
    const stack = await TerraformStack.create(platform, exports());
    platform.inject({ operation: "startExport", kind: "lostAnswer" });
    expect((await stack.apply()).output).toContain("DOCS_AMBIGUOUS_START");
    stack.write(`${exports()}${exports(`  job_id = "${jobId}"\n`).replace('"site"', '"old"')}`);
    expect((await stack.apply(`-target=${siteAddress.replace("site", "old")}`)).code).toBe(0);
    const { code, output } = await stack.apply();
    expect({ code, starts: platform.starts }, output).toEqual({ code: 1, starts: 1 });
  });

  it("is settled once by each of five exports that adopt the jobs of five such starts: a sixth one starts", async () => {
    const platform = await terraformPlatform({ jobTime: 0 });
    const counted = (...jobs: readonly string[]) =>
      exports(`  count  = ${Math.max(jobs.length, 5)}
  job_id = try(${JSON.stringify(jobs)}[count.index], null)
`);
    const stack = await TerraformStack.create(platform, counted());
    platform.inject({ operation: "startExport", kind: "lostAnswer", count: 5 });
    expect((await stack.apply()).output.match(/Error: DOCS_AMBIGUOUS_START/g)).toHaveLength(5);
    const adopting = counted(...platform.jobs.list().map(({ jobId }) => jobId));
    stack.write(adopting);
    expect((await stack.apply()).code).toBe(0);
    stack.write(`${adopting}${exports().replace('"site"', '"sixth"')}`);
    const { code, output } = await stack.apply();
    expect({ code, starts: platform.starts }, output).toEqual({ code: 0, starts: 6 });
  });
});
