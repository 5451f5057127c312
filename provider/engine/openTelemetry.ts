import { DocsPlatformError } from "../support/errors";
import { packageVersion } from "../support/packageFacts";
import { printable } from "../support/printable";
import { addSecret } from "../support/redact";
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

type OtelSpan = import("@opentelemetry/api").Span;

export interface Tracer {
  /**
   * Runs the work as a span. An error of the work is noted, and thrown.
   * @param parent the W3C `traceparent` of the parent span; without a parent, the span begins a new trace.
   * @param work is given the span, and its `traceparent` for the spans below it.
   */
  span<T>(
    name: string,
    attributes: SpanAttributes,
    parent: string | undefined,
    work: (span: Span, traceparent: string) => Promise<T>,
  ): Promise<T>;
  end(): Promise<void>;
}

export function openTracer(endpoint: string, debug: (text: string) => void): Tracer {
  const { OTEL_EXPORTER_OTLP_HEADERS: general = "", OTEL_EXPORTER_OTLP_TRACES_HEADERS: ofTraces = "" } = process.env;
  for (const [, value = ""] of `${general},${ofTraces}`.matchAll(/=([^,]+)/g)) {
    addSecret(value);
  }
  const exporter = new OTLPTraceExporter({ url: endpoint });
  tellFirstFailure(exporter, debug);
  const facts = { "service.name": name, "service.version": packageVersion() };
  const provider = new BasicTracerProvider({
    resource: resources.resourceFromAttributes?.(facts) ?? new resources.Resource(facts),
    spanProcessors: [new BatchSpanProcessor(exporter, { scheduledDelayMillis: collectingTime })],
  });
  const tracer = provider.getTracer(name, packageVersion());
  const open = new Set<OtelSpan>();
  const fail = (span: OtelSpan, message: string) => span.setStatus({ code: SpanStatusCode.ERROR, message });
  return {
    async span(title, attributes, parent, work) {
      const span = tracer.startSpan(title, { attributes: named(attributes) }, contextOf(parent));
      const { traceId, spanId, traceFlags } = span.spanContext();
      const own: Span = {
        set: (more) => void span.setAttributes(named(more)),
        event: (what, more) => void span.addEvent(what, named(more)),
      };
      open.add(span);
      try {
        return await work(own, `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, "0")}`);
      } catch (error) {
        fail(span, error instanceof DocsPlatformError ? error.code : "an error");
        throw error;
      } finally {
        if (open.delete(span)) {
          span.end();
        }
      }
    },
    async end() {
      for (const span of open) {
        fail(span, "the process ended");
        span.end();
      }
      open.clear();
      await provider.shutdown().catch(() => {});
    },
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
