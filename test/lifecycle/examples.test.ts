import { describe, expect, it } from "vitest";
import { anError, testPlatform, testStack } from "../support/engineTest";

describe("the feature gate example", () => {
  it("refuses in the preview a stack that asks for what its deployment does not offer", async () => {
    const stack = await testStack(await testPlatform(), {});
    stack.useExample("featureGate");
    await stack.pulumi("config", "set", "domain", "docs.example.com");
    await stack.pulumi("config", "set", "deploymentType", "air-gapped");
    await stack.pulumi("config", "set", "--path", "features[0]", "aiAssistant");
    const refused = await stack.preview();
    expect(refused).toMatchObject({ code: anError, requests: [] });
    expect(refused.output).toContain("a deployment of type air-gapped does not offer aiAssistant");
    await stack.pulumi("config", "set", "--path", "features[0]", "apiPlayground");
    expect(await stack.preview()).toMatchObject({ code: 0, requests: [] });
    expect(await stack.up()).toMatchObject({ code: 0 });
  });
});
