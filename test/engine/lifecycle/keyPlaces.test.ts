import { describe, expect, it } from "vitest";
import { requestNameOf } from "../../support/engineStack";
import { look, siteAndBundle, testPlatform, testStack } from "../../support/engineTest";

describe("a key in the stack's configuration", () => {
  it("in clear works, and gives one warning with the command that repairs it; after that there is none", async () => {
    const warning = /docs-platform:apiKey is in clear text/g;
    const platform = await testPlatform();
    const stack = await testStack(platform, siteAndBundle, { keyInClear: true });
    stack.environment.DOCS_PLATFORM_API_KEY = "";
    await stack.pulumi("config", "set", "--plaintext", "docs-platform:apiKey", platform.apiKey);
    // `start` uses a language host, because only a language host gets the names of the secret configuration keys.
    const up = () => stack.start("up", "--yes", "--skip-preview").ended;
    const { code, output } = await up();
    expect(code, output).toBe(0);
    expect(output.split("Diagnostics:")[1]?.match(warning)).toHaveLength(1);
    expect(output).toContain("pulumi config set --secret docs-platform:apiKey");
    expect(output).not.toContain(platform.apiKey);
    await stack.pulumi("config", "set", "--secret", "docs-platform:apiKey", platform.apiKey);
    const mended = await up();
    expect(mended).toMatchObject({ code: 0, requests: [] });
    expect(mended.output).not.toMatch(warning);
  });
});

describe("a key of the environment that the stack's configuration leads elsewhere", () => {
  const warning =
    /the key of DOCS_PLATFORM_API_KEY goes to http:\/\/127\.0\.0\.1:\d+, which docs-platform:baseUrl sets/g;

  it("is reported once a run, in the preview already, and by a program that only looks a job up, which sends it", async () => {
    const platform = await testPlatform();
    const { jobId } = platform.jobs.add({ domain: "docs.example.com", status: "completed" });
    const stack = await testStack(platform, siteAndBundle);
    stack.environment.DOCS_PLATFORM_BASE_URL = "";
    await stack.pulumi("config", "set", "docs-platform:baseUrl", platform.baseUrl);
    const preview = await stack.pulumi("preview");
    expect(preview.code, preview.output).toBe(0);
    expect(preview.output.split("Diagnostics:")[1]?.match(warning)).toHaveLength(1);
    stack.declare({ getExport: { jobId } });
    const looking = await stack.preview();
    expect(looking.code, looking.output).toBe(0);
    expect(looking.output.match(warning)).toHaveLength(1);
    expect(platform.requests.map(requestNameOf)).toEqual([look(jobId)]);
  });
});
