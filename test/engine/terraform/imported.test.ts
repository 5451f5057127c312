import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { projectRoot } from "../../../tools/projectRoot";
import { look } from "../../support/engineTest";
import { requireTool } from "../../support/requireTool";
import { strangePlatform } from "../../support/strangePlatform";
import { exportOf, siteAddress, TerraformStack, terraformPlatform } from "../../support/terraformStack";

const configuration = (triggers: string) => exportOf(`  triggers = ${triggers}\n`);
const importBlock = (jobId: string) => `import {\n  to = ${siteAddress}\n  id = "${jobId}"\n}\n`;

async function exported() {
  const platform = await terraformPlatform({ jobTime: 0 });
  return { platform, jobId: platform.jobs.add({ domain: "docs.example.com", status: "completed" }).jobId };
}

describe.skipIf(!requireTool("terraform"))("an imported job", () => {
  it("of which nothing is to be noted is reported by Terraform alone, and a later trigger starts a new one", async () => {
    const { platform, jobId } = await exported();
    const stack = await TerraformStack.reattached(platform, `${configuration("null")}${importBlock(jobId)}`);
    for (let run = 0; run < 2; run++) {
      expect(await stack.expectApply(0)).not.toContain("Warning");
    }
    stack.write(configuration('"2"'));
    expect(await stack.expectApply(0)).toContain("1 added, 0 changed, 1 destroyed");
    expect(platform.starts).toBe(1);
  });

  it("is given its triggers by the run after the import, which starts nothing and says so; the next change starts", async () => {
    const { platform, jobId } = await exported();
    const stack = await TerraformStack.reattached(platform, configuration('"1"'));
    expect(await stack.run("import", siteAddress, jobId)).toMatchObject({ code: 0 });
    // This plan shows that planning imports nothing.
    await stack.plan();
    const output = await stack.expectApply(0);
    expect(output).toContain("0 added, 1 changed, 0 destroyed");
    expect(output).toContain("the run saves its triggers in the state, and starts nothing");
    expect(platform.starts).toBe(0);
    await stack.expectNothingToDo();
    stack.write(configuration('"2"'));
    expect(await stack.expectApply(0)).toContain("1 added, 0 changed, 1 destroyed");
    expect(platform.starts).toBe(1);
  });

  it("adopts the job of another provider's resource, as the example does: one look, no start", async () => {
    const { platform, jobId } = await exported();
    const example = readFileSync(join(projectRoot, "examples", "terraform", "takenOver", "main.tf"), "utf8");
    const stack = await TerraformStack.reattached(platform, "");
    stack.write(example, "");
    stack.environment.TF_VAR_job_id = jobId;
    const applied = await stack.apply();
    expect(applied, applied.output).toMatchObject({ code: 0, requests: [look(jobId)] });
    expect(stack.state(siteAddress)).toMatchObject({ tainted: false, attributes: { job_id: jobId } });
    await stack.expectNothingToDo();
    expect(platform.starts).toBe(0);
  });

  it("whose inputs are ignored is kept unchanged, where the platform shows no domain: it starts nothing, in any run", async () => {
    const front = await strangePlatform();
    front.habit = {
      answer: ({ body }, { operation }) => {
        const { domain: _, ...rest } = Object(body);
        return operation === "getExport" ? { body: rest } : undefined;
      },
    };
    const { jobId } = front.platform.jobs.add({ domain: "docs.example.com", status: "completed" });
    const ignoring = configuration('"1"\n  lifecycle {\n    ignore_changes = all\n  }');
    const stack = await TerraformStack.reattached(front, `${ignoring}${importBlock(jobId)}`);
    await stack.expectApply(0);
    await stack.expectApply(0, "-refresh=false");
    stack.write(ignoring.replace("triggers", 'wait_timeout = "7m"\n  triggers'));
    await stack.expectApply(0);
    await stack.expectNothingToDo();
    expect(stack.state(siteAddress)).toMatchObject({ tainted: false, attributes: { job_id: jobId } });
    expect(front.platform.starts).toBe(0);
    await stack.expectApply(0, `-replace=${siteAddress}`);
    expect(stack.state(siteAddress)?.attributes).toMatchObject({ domain: "docs.example.com" });
    expect(front.platform.starts).toBe(1);
  });
});
