import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { startOtlpReceiver } from "../../../tools/servers/startOtlpReceiver";
import type { EngineStack } from "../../support/engineStack";
import { testPlatform, testStack } from "../../support/engineTest";
import { leaks, signatureMark } from "../../support/leaks";
import { requireTool } from "../../support/requireTool";
import { dynamicNode, type ProgramHost, yaml } from "../plugin/hosts";

const domain = "docs.example.com";

async function tracedStack(host: ProgramHost, jobTime: number) {
  const receiver = await startOtlpReceiver();
  onTestFinished(receiver.close);
  const platform = await testPlatform({ jobTime });
  const stack = await testStack(platform, {});
  // Otherwise the engine's own spans would contain its requests and answers.
  stack.environment.PULUMI_TRACING_NO_PAYLOADS = "true";
  await host.prepare(stack);
  const destination = `file://${join(stack.folder, "mirror")}`;
  host.declare(stack, { site: { domain }, bundle: {}, copy: { destination } });
  const ours = () => receiver.spans().filter(({ service }) => service === "pulumi-docs-platform");
  const above = (span: { parentSpanId: string }) => receiver.spans().find(({ spanId }) => spanId === span.parentSpanId);
  return { stack, platform, receiver, ours, above };
}

const traced = (stack: EngineStack, address: string) =>
  stack.start("up", "--yes", "--skip-preview", "--otel-traces", `grpc://${address}`);

describe.skipIf(!requireTool("go")).each([dynamicNode, yaml])("the trace of an engine, with the host $name", (host) => {
  it("has each start, wait, mint and mirror below the engine's own call, with a look for each poll and no secret", async () => {
    const { stack, platform, receiver, ours, above } = await tracedStack(host, 1_500);
    const { code, output } = await traced(stack, receiver.address).ended;
    expect(code, output).toBe(0);
    await expect.poll(ours).toHaveLength(5);
    const shown = ours().map((span) => `${above(span)?.name} > ${span.name}`);
    const create = "pulumirpc.ResourceProvider/Create";
    expect(shown.toSorted()).toEqual(
      [
        ...["start export", "wait for export", "mint link", "mirror bundle"].map((name) => `${create} > ${name}`),
        "mirror bundle > mint link",
      ].toSorted(),
    );
    const whole = receiver.spans().find(({ name }) => name === "pulumi");
    expect(new Set(ours().map(({ traceId }) => traceId))).toEqual(new Set([whole?.traceId]));
    const [jobId] = platform.jobs.list().map((job) => job.jobId);
    expect(ours().map(({ attributes }) => attributes["docs_platform.job"])).toEqual(Array(5).fill(jobId));
    const wait = ours().find(({ name }) => name === "wait for export");
    expect(wait?.attributes).toMatchObject({ "docs_platform.domain": domain, "docs_platform.status": "completed" });
    expect(wait?.events.map(({ name }) => name)).toEqual(Array(platform.counts.getExport).fill("poll"));
    expect(ours().every(({ failure }) => failure === undefined)).toBe(true);
    expect(leaks(stack.folder, [receiver.text()], [platform.apiKey, signatureMark])).toEqual([]);
  });
});

it("the trace of an engine in a file needs no collector, and has the provider's spans and no secret", async () => {
  const platform = await testPlatform();
  const stack = await testStack(platform, { site: { domain }, bundle: {} });
  stack.environment.PULUMI_TRACING_NO_PAYLOADS = "true";
  const file = join(stack.folder, "trace.json");
  const { code, output } = await stack.start("up", "--yes", "--skip-preview", "--otel-traces", `file://${file}`).ended;
  expect(code, output).toBe(0);
  const text = readFileSync(file, "utf8");
  expect(["start export", "wait for export", "mint link"].filter((name) => !text.includes(`"${name}"`))).toEqual([]);
  expect(leaks(stack.folder, [text], [platform.apiKey, signatureMark])).toEqual([]);
});
