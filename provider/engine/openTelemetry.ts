import { packageVersion } from "../support/packageFacts";
import { printable } from "../support/printable";
import type { Attributes, Span } from "../support/span";

/*
 * The only file that knows OpenTelemetry, and one that is loaded where spans are wanted. The libraries come with the SDK,
 * wherever a package manager has put them; what is used of them is the same in their versions 1 and 2.
 */
const sdk = require.resolve("@pulumi/pulumi");

function ofTheSdk(name: string) {
  return require(require.resolve(name, { paths: [sdk] }));
}

const { ROOT_CONTEXT, SpanStatusCode, trace }: typeof import("@opentelemetry/api") = ofTheSdk("@opentelemetry/api");
const { BasicTracerProvider, BatchSpanProcessor }: typeof import("@opentelemetry/sdk-trace-base") = ofTheSdk(
  "@opentelemetry/sdk-trace-base",
);
const { OTLPTraceExporter }: typeof import("@opentelemetry/exporter-trace-otlp-grpc") = ofTheSdk(
  "@opentelemetry/exporter-trace-otlp-grpc",
);
const resources = ofTheSdk("@opentelemetry/resources");

/** How long spans are collected before they are sent; milliseconds. */
const collectingTime = 500;

const name = "pulumi-docs-platform";

/** A span until its end. */
export interface OpenSpan extends Span {
  /** As W3C writes it: the parent of what is below. */
  readonly traceparent: string;
  fail(reason: string): void;
  end(): void;
}

export interface SpanExporter {
  /** @param parent W3C's `traceparent` of the span above; without one the span is the first of a trace. */
  start(name: string, attributes: Attributes, parent: string | undefined): OpenSpan;
  /** Sends what is not sent yet; afterwards nothing is sent any more. */
  end(): Promise<void>;
}

/** @param debug is told once where the endpoint takes no spans. */
export function exportSpans(endpoint: string, debug: (text: string) => void): SpanExporter {
  const exporter = new OTLPTraceExporter({ url: endpoint });
  tellFirstFailure(exporter, debug);
  const facts = { "service.name": name, "service.version": packageVersion() };
  const provider = new BasicTracerProvider({
    resource: resources.resourceFromAttributes?.(facts) ?? new resources.Resource(facts),
    spanProcessors: [new BatchSpanProcessor(exporter, { scheduledDelayMillis: collectingTime })],
  });
  const tracer = provider.getTracer(name, packageVersion());
  return {
    start(title, attributes, parent) {
      const span = tracer.startSpan(title, { attributes: named(attributes) }, contextOf(parent));
      const { traceId, spanId, traceFlags } = span.spanContext();
      return {
        traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, "0")}`,
        set: (more) => void span.setAttributes(named(more)),
        event: (what, more) => void span.addEvent(what, named(more)),
        fail: (reason) => void span.setStatus({ code: SpanStatusCode.ERROR, message: printable(reason) }),
        end: () => span.end(),
      };
    },
    end: () => provider.shutdown().catch(() => {}),
  };
}

function contextOf(traceparent = "") {
  const [, traceId, spanId, flags] = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})/.exec(traceparent) ?? [];
  return traceId === undefined || spanId === undefined
    ? ROOT_CONTEXT
    : trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags: Number(`0x${flags}`), isRemote: true });
}

/** By names of our own, without what is not known. A text of the platform may hold what it was sent: it is redacted. */
function named(attributes: Attributes) {
  const known = Object.entries(attributes).flatMap(([key, value]) => (value === undefined ? [] : [{ key, value }]));
  return Object.fromEntries(
    known.map(({ key, value }) => [`docs_platform.${key}`, typeof value === "string" ? printable(value) : value]),
  );
}

function tellFirstFailure(exporter: InstanceType<typeof OTLPTraceExporter>, debug: (text: string) => void): void {
  const send = exporter.export.bind(exporter);
  let isTold = false;
  exporter.export = (spans, done) =>
    send(spans, (result) => {
      if (result.error && !isTold) {
        isTold = true;
        debug(printable(`the receiver did not accept the spans: ${result.error.message}`));
      }
      done(result);
    });
}
