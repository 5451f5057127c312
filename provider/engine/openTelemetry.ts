import { packageVersion } from "../support/packageFacts";
import { printable } from "../support/printable";
import type { Span, SpanAttributes } from "../support/span";

/*
 * Only this file imports OpenTelemetry, and it is loaded only if spans are wanted. The libraries come with the SDK, and
 * are found from there. The functions used here are the same in versions 1 and 2.
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

/** The time for which spans are collected before they are sent, in milliseconds. */
const collectingTime = 500;

const name = "pulumi-docs-platform";

/** A span that has not ended yet. */
export interface OpenSpan extends Span {
  /** The W3C `traceparent` of this span, for the spans below it. */
  readonly traceparent: string;
  fail(reason: string): void;
  end(): void;
}

export interface SpanExporter {
  /** @param parent the W3C `traceparent` of the parent span; without a parent, the span begins a new trace. */
  start(name: string, attributes: SpanAttributes, parent: string | undefined): OpenSpan;
  /** Sends the remaining spans. After that, nothing is sent. */
  end(): Promise<void>;
}

/**
 * Creates the exporter.
 * @param debug receives one message if the endpoint does not accept spans.
 */
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

/**
 * Prefixes the names, and drops unknown values. A text of the platform may repeat what was sent to it: texts are
 * redacted.
 */
function named(attributes: SpanAttributes) {
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
