import { describe, expect, it } from "vitest";
import committed from "../../../../../provider/hosts/terraform/schema.json";
import { generateTerraformSchema } from "../../../../../tools/schema/generateTerraformSchema";

describe("the schema of Terraform's host", () => {
  it("that is committed is the one that the code makes: `npm run schema` writes it", () => {
    expect(committed).toEqual(JSON.parse(JSON.stringify(generateTerraformSchema())));
  });

  it("speaks of nothing that a user of Terraform does not know", () => {
    const texts = JSON.stringify(committed);
    expect(texts).not.toMatch(/pulumi|npm install|@aws-sdk|\bstack\b|\bpreview|\bundefined\b/i);
    expect(texts).not.toMatch(/`[a-z]+[A-Z]\w*`/);
  });
});
