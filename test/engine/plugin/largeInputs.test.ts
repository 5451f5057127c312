import { expect } from "vitest";
import { variant } from "../../support/campaign";
import { anError, look, start, testPlatform, testStack } from "../../support/engineTest";
import { yaml } from "./hosts";

const largest = 256 * 1024;

variant(
  "every call about a resource accepts the largest inputs that its create accepts; a larger one is refused",
  async () => {
    const platform = await testPlatform({ jobTime: Number.POSITIVE_INFINITY });
    const stack = await testStack(platform, {});
    await yaml.prepare(stack);
    const text = (bytes: number) => "x".repeat(bytes - 2);
    const site = { domain: "docs.example.com", waitTimeout: "1s", exportOptions: { a: text(largest - 6) } };
    yaml.declare(stack, { site: { ...site, triggers: text(largest + 1) } });
    const refused = await stack.preview();
    expect(refused).toMatchObject({ code: anError, requests: [] });
    expect(refused.output).toContain("triggers is larger than 256 KiB as JSON");
    yaml.declare(stack, { site: { ...site, triggers: text(largest) } });
    expect((await stack.up()).output).toContain("DOCS_WAIT_TIMEOUT");
    const [{ jobId = "" } = {}] = platform.jobs.list();
    platform.jobs.complete(jobId);
    expect(await stack.up()).toMatchObject({ code: 0, requests: [look(jobId)] });
    platform.jobTime = 0;
    yaml.declare(stack, { site: { ...site, triggers: text(largest - 1) } });
    expect(await stack.preview()).toMatchObject({ code: 0, requests: [] });
    expect((await stack.up()).requests[0]).toBe(start);
    expect((await stack.refresh()).code).toBe(0);
    expect(await stack.destroy()).toMatchObject({ code: 0, requests: [] });
    expect(platform.starts).toBe(2);
  },
);
