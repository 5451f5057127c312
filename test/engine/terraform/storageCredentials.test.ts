import { describe, expect, it } from "vitest";
import { eachObjectPlace } from "../../support/mirror/objectPlaces";
import { requireTool } from "../../support/requireTool";
import { exportOf, TerraformStack, terraformPlatform } from "../../support/terraformStack";

describe.skipIf(!requireTool("terraform")).each(eachObjectPlace)(
  "a mirror at a place of the scheme %s, on Terraform",
  (_, placeOfTest) => {
    const place = placeOfTest();

    it("is planned without the storage's credentials by -refresh=false, which the error of another plan names", async () => {
      const platform = await terraformPlatform({ jobTime: 0 });
      const stack = await TerraformStack.create(
        platform,
        `${exportOf()}resource "docsplatform_bundle_mirror" "copy" {
  job_id      = docsplatform_static_export.site.job_id
  destination = ${JSON.stringify(place.destination("docs"))}
}
`,
      );
      await stack.expectApply(0);
      const credentials = Object.keys(process.env).filter((name) => /^(AWS|AZURE)_.*(KEY|TOKEN|STRING)/.test(name));
      Object.assign(stack.environment, Object.fromEntries(credentials.map((name) => [name, undefined])));
      const { code, output } = await stack.plan();
      expect(code, output).toBe(1);
      expect(output.replace(/\s*\n[│ ]*/g, " ")).toContain("`terraform plan -refresh=false` does not.");
      expect(await stack.run("plan", "-refresh=false", "-detailed-exitcode")).toMatchObject({ code: 0 });
    });
  },
);
