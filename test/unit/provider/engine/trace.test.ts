import { execFileSync } from "node:child_process";
import net from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { Trace } from "../../../../provider/engine/trace";
import { ConfigurationError } from "../../../../provider/support/errors";
import { projectRoot } from "../../../../tools/projectRoot";
import { startOtlpReceiver } from "../../../../tools/servers/startOtlpReceiver";
import { rejection } from "../../../support/clientUnderTest";
import { listen } from "../../../support/loopback";
import { requireTool } from "../../../support/requireTool";

function traceWith(environment: NodeJS.ProcessEnv) {
  const debugged: string[] = [];
  let begun = 0;
  const trace = new Trace({ environment, debug: (text) => debugged.push(text), begin: () => begun++ });
  return { trace, debugged, begun: () => begun };
}

async function receiver() {
  const started = await startOtlpReceiver();
  onTestFinished(started.close);
  /** Returns the collector's spans once there are this many. It answers a request a moment before it writes. */
  const received = async (count: number) => {
    await expect.poll(() => started.spans().length).toBe(count);
    return started.spans();
  };
  return { endpoint: `http://${started.address}`, address: started.address, text: started.text, received };
}

const [traceId, spanId] = ["0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"];
const sampled = `00-${traceId}-${spanId}-01`;

describe.skipIf(!requireTool("go"))("spans, at the receiver of the OpenTelemetry Collector", () => {
  it.each(["PULUMI_OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"])(
    "stand below TRACEPARENT, and inner ones below outer ones: %s",
    async (variable) => {
      const { address, received } = await receiver();
      const endpoint = variable.startsWith("PULUMI") ? address : `http://${address}`;
      const { trace, begun } = traceWith({ [variable]: endpoint, TRACEPARENT: sampled });
      await trace.span("outer", { job: "job-1", pages: undefined }, async (outer) => {
        outer.event("look", { progress: 0.5 });
        await trace.span("inner", {}, async () => {});
        outer.set({ pages: 3 });
      });
      await trace.end();
      const [inner, outer] = (await received(2)).toSorted((a, b) => a.name.localeCompare(b.name));
      expect(outer).toMatchObject({
        traceId,
        parentSpanId: spanId,
        service: "pulumi-docs-platform",
        failure: undefined,
      });
      expect(outer?.attributes).toEqual({ "docs_platform.job": "job-1", "docs_platform.pages": 3 });
      expect(outer?.events).toMatchObject([{ name: "look", attributes: { "docs_platform.progress": 0.5 } }]);
      expect(inner).toMatchObject({ traceId, parentSpanId: outer?.spanId });
      expect(begun()).toBe(1);
    },
  );

  it("of calls that run at once stand each below the span that the engine has named for it", async () => {
    const { endpoint, received } = await receiver();
    const { trace } = traceWith({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, TRACEPARENT: sampled });
    const parents = ["00000000000000a1", "00000000000000a2"];
    await Promise.all(
      parents.map((parent) =>
        trace.below(`00-${traceId}-${parent}-01`, () => trace.span(`below ${parent}`, {}, () => Promise.resolve())),
      ),
    );
    await trace.end();
    const found = (await received(2)).map((span) => [span.name, span.parentSpanId]);
    expect(found.toSorted()).toEqual(parents.map((parent) => [`below ${parent}`, parent]));
  });

  it("fail with the error's code, show no secret, and are ended with the process", async () => {
    const { endpoint, received, text } = await receiver();
    const { trace } = traceWith({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint });
    const secret = "svc_s3cr3t0123456789";
    const failing = trace.span("failing", { status: `no ${secret}` }, async (span) => {
      span.event("look", { status: "https://files.example.com/a.tgz?X-Amz-Signature=s3cr3t" });
      throw new ConfigurationError([`the key ${secret}`]);
    });
    expect(await rejection(failing)).toBeInstanceOf(ConfigurationError);
    await new Promise<void>((begun) => void trace.span("endless", {}, () => new Promise(() => begun())));
    await trace.end();
    const failures = Object.fromEntries((await received(2)).map(({ name, failure }) => [name, failure]));
    expect(failures).toEqual({ failing: "DOCS_CONFIGURATION", endless: "the process ended" });
    expect(text()).toContain("[redacted]");
    expect(text()).not.toContain("s3cr3t");
  });

  it("are none where the engine's trace is not recorded", async () => {
    const { endpoint, received } = await receiver();
    const { trace } = traceWith({
      OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
      TRACEPARENT: `00-${traceId}-${spanId}-00`,
    });
    await trace.span("unseen", {}, async () => {});
    await trace.below(sampled, () => trace.span("seen", {}, async () => {}));
    await trace.end();
    expect(await received(1)).toMatchObject([{ name: "seen" }]);
  });
});

describe("an endpoint", () => {
  it("that does not answer holds up neither the work nor, for long, the end", { timeout: 8_000 }, async () => {
    const { port } = await listen(net.createServer(() => {}));
    const { trace } = traceWith({ OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` });
    expect(await trace.span("one", {}, async () => "done")).toBe("done");
    await trace.end();
  });

  it.each(["%", "ftp://["])(
    "that is no address (%s) is told once in the debug log, and the work is done",
    async (endpoint) => {
      const { trace, debugged } = traceWith({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint });
      for (const name of ["one", "two"]) {
        expect(await trace.span(name, {}, async () => name)).toBe(name);
      }
      await trace.end();
      expect(debugged).toEqual([expect.stringMatching(/^spans are not sent: /)]);
    },
  );
});

describe("the libraries of OpenTelemetry", () => {
  const traceFile = join(projectRoot, "dist", "provider", "engine", "trace.js");

  /** Returns the packages that a process has loaded after one span. */
  function loadedWith(environment: NodeJS.ProcessEnv): string[] {
    const script = `
      const { Trace } = require(${JSON.stringify(traceFile)});
      const trace = new Trace({ environment: process.env, debug() {}, begin() {} });
      trace.span("one", {}, async () => {}).then(() => {
        const names = Object.keys(require.cache).map((file) => /@opentelemetry.([\\w-]+)/.exec(file)?.[1]);
        console.log(JSON.stringify([...new Set(names)].filter(Boolean)));
        process.exit();
      });`;
    const env = { PATH: process.env.PATH, ...environment };
    return JSON.parse(execFileSync(process.execPath, ["-e", script], { env, encoding: "utf8" }));
  }

  it("are not loaded where no endpoint is named, and are where one is", () => {
    expect(loadedWith({ TRACEPARENT: sampled, OTEL_EXPORTER_OTLP_ENDPOINT: " " })).toEqual([]);
    expect(loadedWith({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9" })).toContain("exporter-trace-otlp-grpc");
  });
});
