import { describe, expect, it } from "vitest";
import { requireTool } from "../../support/requireTool";
import { exportOf, siteAddress, TerraformStack, terraformPlatform } from "../../support/terraformStack";

const wrong = {
  DOCS_PLATFORM_BASE_URL: "",
  DOCS_PLATFORM_API_KEY: "",
  DOCS_PLATFORM_MAX_RETRIES: "many",
  DOCS_PLATFORM_JOURNAL: "gs://bucket/prefix",
};
const impatient = (name?: string) => exportOf('  wait_timeout = "3s"\n', name);

describe.skipIf(!requireTool("terraform"))("without a base URL, and with a setting that is wrong,", () => {
  it("what has nothing to send is planned, and all is destroyed, also what is due or tainted: 0 requests", async () => {
    const platform = await terraformPlatform({ jobTime: Number.POSITIVE_INFINITY });
    const stack = await TerraformStack.reattached(platform, `${impatient("slow")}${impatient()}`);
    await stack.expectApply(0);
    expect((await stack.run("taint", siteAddress.replace("site", "slow"))).code).toBe(0);
    Object.assign(process.env, wrong);
    const plan = await stack.plan();
    expect(plan, plan.output).toMatchObject({ code: 2, requests: [] });
    expect(plan.output).toContain("will be refused as soon as it has something to send");
    const refused = await stack.apply(`-target=${siteAddress}`);
    expect(refused, refused.output).toMatchObject({ code: 1, requests: [] });
    expect(refused.output).toContain("DOCS_CONFIGURATION");
    const { code, output, requests } = await stack.destroy();
    expect({ code, requests }, output).toEqual({ code: 0, requests: [] });
  });

  it("an unchanged plan says nothing, and a new resource is refused in the plan", async () => {
    const stack = await TerraformStack.reattached(await terraformPlatform(), exportOf());
    await stack.expectApply(0);
    Object.assign(process.env, wrong);
    await stack.expectNothingToDo();
    stack.write(`${exportOf()}${exportOf("", "new").replace("docs.", "new.")}`);
    const plan = await stack.plan();
    expect(plan, plan.output).toMatchObject({ code: 1, requests: [] });
    expect(plan.output).toContain("DOCS_CONFIGURATION");
  });
});
