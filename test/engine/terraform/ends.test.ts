import { describe, expect, it, onTestFinished } from "vitest";
import { start, tally } from "../../support/engineTest";
import { startS3Server } from "../../support/mirror/s3Server";
import { requireTool } from "../../support/requireTool";
import { siteAddress, TerraformStack, terraformPlatform } from "../../support/terraformStack";

const export_ = `resource "docsplatform_static_export" "site" {
  domain = "docs.example.com"
}
`;

describe.skipIf(!requireTool("terraform"))("an export that ended in good order, on Terraform", () => {
  it.each([["-refresh=false"], ["-refresh=true"]])(
    "is replaced by a new job once it is tainted, with %s",
    async (flag) => {
      const platform = await terraformPlatform();
      const stack = await TerraformStack.reattached(platform, export_);
      expect((await stack.apply()).code).toBe(0);
      expect((await stack.run("taint", siteAddress)).code).toBe(0);
      const { code, output, requests } = await stack.apply(flag);
      expect(code, output).toBe(0);
      expect(tally(requests)[start]).toBe(1);
      expect(platform.starts).toBe(2);
      expect((await stack.apply(`-replace=${siteAddress}`, flag)).code).toBe(0);
      expect(platform.starts).toBe(3);
      expect(await stack.plan()).toMatchObject({ code: 0, requests: [] });
    },
  );

  it("is so where the journal lies in a bucket", async () => {
    const server = await startS3Server();
    onTestFinished(() => server.close());
    const platform = await terraformPlatform();
    const stack = await TerraformStack.create(platform, export_);
    const DOCS_PLATFORM_JOURNAL = server.destination("journal");
    Object.assign(stack.environment, server.environment, {
      DOCS_PLATFORM_JOURNAL,
      DOCS_PLATFORM_JOURNAL_REQUIRED: "true",
    });
    for (const [starts, flag] of [
      [1, "-refresh=true"],
      [2, "-refresh=true"],
      [3, "-refresh=false"],
    ] as const) {
      const { code, output, requests } = await stack.apply(flag);
      expect(code, output).toBe(0);
      expect(tally(requests)[start]).toBe(1);
      expect(platform.starts).toBe(starts);
      expect(server.requests().some((request) => request.startsWith("PUT /journal/"))).toBe(true);
      expect((await stack.run("taint", siteAddress)).code).toBe(0);
    }
    expect((await stack.run("untaint", siteAddress)).code).toBe(0);
    expect(await stack.plan()).toMatchObject({ code: 0, requests: [] });
  });

  it("is taken up by no equal one of another state of the folder, nor of the same state", async () => {
    const platform = await terraformPlatform();
    const stack = await TerraformStack.reattached(platform, export_);
    expect((await stack.apply("-state=one.tfstate")).code).toBe(0);
    const other = await stack.apply("-state=other.tfstate");
    expect(other.code, other.output).toBe(0);
    expect(platform.starts).toBe(2);
    stack.write(`${export_}${export_.replace('"site"', '"second"')}`);
    expect((await stack.apply("-state=one.tfstate")).code).toBe(0);
    expect(platform.starts).toBe(3);
  });

  it("that was adopted settles the start whose answer was lost: a later replacement asks nothing", async () => {
    const platform = await terraformPlatform();
    // The process that has lost the answer has ended.
    const stack = await TerraformStack.create(platform, export_);
    platform.inject({ operation: "startExport", kind: "lostAnswer" });
    expect((await stack.apply()).code).toBe(1);
    const [{ jobId = "" } = {}] = platform.jobs.list();
    stack.write(export_.replace("\n}", `\n  job_id = "${jobId}"\n}`));
    const adopted = await stack.apply();
    expect(adopted.code, adopted.output).toBe(0);
    stack.write(export_);
    const replaced = await stack.apply(`-replace=${siteAddress}`);
    expect(replaced.code, replaced.output).toBe(0);
    expect(platform.starts).toBe(2);
  });
});
