import { describe, expect, it } from "vitest";
import { start, tally } from "../../support/engineTest";
import { requireTool } from "../../support/requireTool";
import { strangePlatform } from "../../support/strangePlatform";
import { siteAddress, TerraformStack } from "../../support/terraformStack";

const secret = "0123456789abcdef0123456789abcdef";
const domain = "docs.example.com";

const exportOf = (options: string) => `variable "token" {
  type      = string
  sensitive = true
}
resource "docsplatform_static_export" "site" {
  domain         = "${domain}"
  export_options = ${options}
}
`;

describe.skipIf(!requireTool("terraform"))("export_options on Terraform", () => {
  it("are sent beside domain, replace the export when they change, and are hidden where they are secret", async () => {
    const front = await strangePlatform();
    front.habit = { request: ({ operation, method, path }) => ({ operation, method, path, body: { domain } }) };
    const starts = () => front.requests.filter(({ operation }) => operation === "startExport");
    const options =
      '{ format = "html", locales = ["en"], nested = { deep = true, none = null }, limit = 9007199254740991 }';
    const stack = await TerraformStack.reattached(front, exportOf(options));
    stack.environment.TF_VAR_token = secret;
    const first = await stack.apply();
    expect(first.code, first.output).toBe(0);
    const sent = '"limit":9007199254740991,"locales":["en"],"nested":{"deep":true,"none":null},"domain"';
    expect(starts().map(({ text }) => text)).toEqual([expect.stringContaining(sent)]);
    expect(await stack.apply()).toMatchObject({ code: 0, requests: [] });

    stack.write(exportOf('{ format = "html", token = var.token }'));
    const plan = await stack.plan();
    expect(plan).toMatchObject({ code: 2, requests: [] });
    expect(plan.output).toContain(`${siteAddress} must be replaced`);
    expect(plan.output).toMatch(/\+ token += \(sensitive value\)/);
    const second = await stack.apply();
    expect(second.code, second.output).toBe(0);
    expect(tally(second.requests)[start]).toBe(1);
    expect(starts().at(-1)?.body).toEqual({ format: "html", token: secret, domain });
    await stack.expectNothingToDo();
    expect([first, plan, second].filter(({ output }) => output.includes(secret))).toEqual([]);
  });
});
