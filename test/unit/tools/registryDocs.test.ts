import { expect, it } from "vitest";
import { typeName } from "../../../provider/hosts/terraform/words";
import { resources } from "../../../provider/resources/index";
import { registryDocs } from "../../../tools/release/terraform/registryDocs";

it("a registry gets a page for all that the provider has, with its arguments and an example that runs", () => {
  const pages = registryDocs();
  expect([...pages.keys()]).toEqual([
    "index.md",
    ...Object.keys(resources).map((name) => `resources/${typeName(name).replace("docsplatform_", "")}.md`),
    "data-sources/static_export.md",
    "data-sources/agent_job.md",
    "ephemeral-resources/export_bundle.md",
    "actions/static_export.md",
    "actions/agent_message.md",
    "functions/helm_values.md",
    "functions/feature_availability.md",
    "guides/terraform.md",
  ]);
  const link = pages.get("resources/export_bundle.md");
  expect(link).toContain('resource "docsplatform_export_bundle" "bundle" {');
  expect(link).toContain("### Required\n\n- `job_id` (String) Identifier of a completed job");
  expect(link).toContain("- `bundle_url` (String, Sensitive)");
  expect(pages.get("functions/helm_values.md")).toContain("helm_values(args Dynamic) Dynamic");
  expect(pages.get("guides/terraform.md")).toContain("A plan tells why");
  pages.delete("guides/terraform.md");
  expect([...pages.values()].join("\n")).not.toMatch(/pulumi(?!-docs-platform\/)/i);
});
