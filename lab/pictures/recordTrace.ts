import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startPlatform } from "../../simulator/index";
import { projectRoot } from "../../tools/projectRoot";
import { type ReceivedSpan, startOtlpReceiver } from "../../tools/servers/startOtlpReceiver";
import { BenchStack } from "../bench/engine/benchStack";

/** A span as the picture shows it. Times are milliseconds since the trace began. */
export interface ShownSpan {
  service: string;
  name: string;
  /** The number of shown spans above it. */
  depth: number;
  begin: number;
  end: number;
  /** The times of its events. */
  events: number[];
}

const program = `
const { BundleMirror, ExportBundle, StaticExport } = require("pulumi-docs-platform");
const { jobId } = new StaticExport("site", { domain: "docs.example.com" });
new ExportBundle("bundle", { jobId });
new BundleMirror("mirror", { jobId, destination: "file://" + __dirname + "/mirror" });
`;

/** Runs `pulumi up` once, traced, against the embedded platform, and returns our spans with those of the engine above them. */
export async function recordTrace(): Promise<ShownSpan[]> {
  const [receiver, platform] = await Promise.all([startOtlpReceiver(), startPlatform({ jobTime: 6_000 })]);
  const stack = await BenchStack.create("", {
    PULUMI_TRACING_NO_PAYLOADS: "true",
    DOCS_PLATFORM_BASE_URL: platform.baseUrl,
    DOCS_PLATFORM_API_KEY: platform.apiKey,
  });
  try {
    stack.environment.DOCS_PLATFORM_JOURNAL = join(stack.folder, "journal");
    writeFileSync(join(stack.folder, "index.js"), program);
    symlinkSync(join(projectRoot, "node_modules"), join(stack.folder, "node_modules"));
    await stack.up("--otel-traces", `grpc://${receiver.address}`);
    return shownOf(receiver.spans());
  } finally {
    await Promise.all([receiver.close(), platform.close()]);
    stack.remove();
  }
}

/**
 * The root, our spans, and the spans directly above them. Each stands below its parent, in the order in which they
 * began.
 */
function shownOf(spans: readonly ReceivedSpan[]): ShownSpan[] {
  const ours = spans.filter(({ service }) => service === "pulumi-docs-platform");
  const whole = spans.find(({ name, traceId }) => name === "pulumi" && traceId === ours[0]?.traceId);
  if (whole === undefined) {
    throw new Error("the trace of the run has not come: nothing was drawn");
  }
  const parents = new Set(ours.map(({ parentSpanId }) => parentSpanId));
  const shown = spans.filter((span) => ours.includes(span) || parents.has(span.spanId));
  const below = (id: string, depth: number): ShownSpan[] =>
    shown
      .filter(({ spanId, parentSpanId }) => parentSpanId === id || (id === whole.spanId && isTop(spanId)))
      .toSorted((a, b) => a.begin - b.begin)
      .flatMap((span) => [shownSpan(span, depth), ...below(span.spanId, depth + 1)]);
  const isTop = (id: string) => shown.every(({ spanId, parentSpanId }) => spanId !== id || !isShown(parentSpanId));
  const isShown = (id: string) => shown.some(({ spanId }) => spanId === id);
  const shownSpan = ({ service, name, begin, end, events }: ReceivedSpan, depth: number): ShownSpan => ({
    service,
    name: name.replace(/^pulumirpc\./, ""),
    depth,
    begin: Math.round(begin - whole.begin),
    end: Math.round(end - whole.begin),
    events: events.map(({ time }) => Math.round(time - whole.begin)),
  });
  return [shownSpan({ ...whole, name: "pulumi up" }, 0), ...below(whole.spanId, 1)];
}
