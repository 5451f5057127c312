import { describe, expect, it } from "vitest";
import { requireTool } from "../../support/requireTool";
import { siteAddress, TerraformStack, terraformPlatform } from "../../support/terraformStack";

const configuration = (triggers: string) => `resource "docsplatform_static_export" "site" {
  domain   = "docs.example.com"
  triggers = ${triggers}
}
`;
const importBlock = (jobId: string) => `import {\n  to = ${siteAddress}\n  id = "${jobId}"\n}\n`;

async function exported() {
  const platform = await terraformPlatform({ jobTime: 0 });
  return { platform, jobId: platform.jobs.add({ domain: "docs.example.com", status: "completed" }).jobId };
}

describe.skipIf(!requireTool("terraform"))("an imported job", () => {
  it("of which nothing is to be noted is told of by Terraform alone, and a later trigger starts a new one", async () => {
    const { platform, jobId } = await exported();
    const stack = await TerraformStack.reattached(platform, `${configuration("null")}${importBlock(jobId)}`);
    for (let run = 0; run < 3; run++) {
      const { code, output } = await stack.apply();
      expect(code, output).toBe(0);
      expect(output).not.toContain("Warning");
    }
    stack.write(configuration('"2"'));
    expect((await stack.apply()).output).toContain("1 added, 0 changed, 1 destroyed");
    expect(platform.starts).toBe(1);
  });

  it("is given its triggers by the run after the import, which starts nothing and says so; the next change starts", async () => {
    const { platform, jobId } = await exported();
    const stack = await TerraformStack.reattached(platform, configuration('"1"'));
    expect(await stack.run("import", siteAddress, jobId)).toMatchObject({ code: 0 });
    // A plan takes nothing over.
    await stack.plan();
    await stack.plan();
    const { output } = await stack.apply();
    expect(output).toContain("0 added, 1 changed, 0 destroyed");
    expect(output.replace(/\s+/g, " ")).toContain("the run saves its triggers in the state, and starts nothing");
    expect(platform.starts).toBe(0);
    expect(await stack.plan()).toMatchObject({ code: 0, requests: [] });
    stack.write(configuration('"2"'));
    expect((await stack.apply()).output).toContain("1 added, 0 changed, 1 destroyed");
    expect(platform.starts).toBe(1);
  });
});
