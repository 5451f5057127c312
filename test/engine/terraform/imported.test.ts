import { describe, expect, it } from "vitest";
import { requireTool } from "../../support/requireTool";
import { strangePlatform } from "../../support/strangePlatform";
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
    // A plan imports nothing.
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

  it.each([
    ["with triggers, which the same run notes", '"1"', 1],
    ["of which nothing is to be noted, once a later run has its state", "null", 2],
  ])("settles the start whose answer was lost: %s; a replacement asks nothing", async (_, triggers, applies) => {
    const platform = await terraformPlatform({ jobTime: 0 });
    // The process that has lost the answer has ended.
    const stack = await TerraformStack.create(platform, configuration(triggers));
    platform.inject({ operation: "startExport", kind: "lostAnswer" });
    expect((await stack.apply()).code).toBe(1);
    const [{ jobId = "" } = {}] = platform.jobs.list();
    stack.write(`${configuration(triggers)}${importBlock(jobId)}`);
    for (let count = 0; count < applies; count++) {
      const { code, output } = await stack.apply();
      expect(code, output).toBe(0);
    }
    const { code, output } = await stack.apply(`-replace=${siteAddress}`);
    expect(code, output).toBe(0);
    expect(platform.starts).toBe(2);
  });

  it.each(["domain", "triggers", "all"])(
    "whose %s is ignored is kept as it is, where the platform tells no domain: it starts nothing, in any run",
    async (ignored) => {
      const front = await strangePlatform();
      front.habit = {
        answer: ({ body }, { operation }) => {
          const { domain: _, ...rest } = Object(body);
          return operation === "getExport" ? { body: rest } : undefined;
        },
      };
      const { jobId } = front.platform.jobs.add({ domain: "docs.example.com", status: "completed" });
      const ignoring = configuration('"1"').replace(
        /\}\n$/,
        `  lifecycle {\n    ignore_changes = ${ignored === "all" ? "all" : `[${ignored}]`}\n  }\n}\n`,
      );
      const stack = await TerraformStack.reattached(front, `${ignoring}${importBlock(jobId)}`);
      for (const flags of [[], ["-refresh=false"], []]) {
        const { code, output } = await stack.apply(...flags);
        expect(code, output).toBe(0);
      }
      stack.write(ignoring.replace("triggers", 'wait_timeout = "7m"\n  triggers'));
      const { code, output } = await stack.apply();
      expect(code, output).toBe(0);
      expect(await stack.plan()).toMatchObject({ code: 0, requests: [] });
      expect(stack.state(siteAddress)).toMatchObject({ tainted: false, attributes: { job_id: jobId } });
      expect(front.platform.starts).toBe(0);
      const replaced = await stack.apply(`-replace=${siteAddress}`);
      expect(replaced.code, replaced.output).toBe(0);
      expect(stack.state(siteAddress)?.attributes).toMatchObject({ domain: "docs.example.com" });
      expect(front.platform.starts).toBe(1);
    },
  );
});
