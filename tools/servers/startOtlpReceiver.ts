import net from "node:net";
import { ServerProcess, unusedPort } from "../processes/serverProcess";
import { getTool } from "../toolchain/getTool";

/** The program that sent it. */
export interface ReceivedSpan {
  /** Empty for the first span of a trace. */
  service: string;
  name: string;
  traceId: string;
  spanId: string;
  /** Empty for the first of a trace. */
  parentSpanId: string;
  begin: number;
  end: number;
  attributes: Record<string, unknown>;
  events: { name: string; time: number; attributes: Record<string, unknown> }[];
  /** The error; undefined after a success. */
  failure: string | undefined;
}

/** A receiver of spans on loopback: the one of the OpenTelemetry Collector. */
export interface OtlpReceiver {
  address: string;
  /** Everything received so far, as it was sent. */
  text(): string;
  spans(): ReceivedSpan[];
  close(): Promise<void>;
}

export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const executable = await getTool("otlp-receiver");
  const port = await unusedPort();
  const address = `127.0.0.1:${port}`;
  const server = await ServerProcess.start(executable, ["-address", address], () => isListening(port));
  return {
    address,
    text: () => server.output,
    spans: () => spansIn(server.output),
    close: () => server.close(),
  };
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(port, "127.0.0.1", () => {
      socket.destroy();
      resolve(true);
    });
    socket.on("error", reject);
  });
}

interface Value {
  key: string;
  value: Record<string, unknown>;
}

interface Batch {
  resourceSpans: {
    resource: { attributes?: Value[] };
    scopeSpans: {
      spans: {
        name: string;
        traceId: string;
        spanId: string;
        parentSpanId?: string;
        startTimeUnixNano: string;
        endTimeUnixNano: string;
        attributes?: Value[];
        events?: { name: string; timeUnixNano: string; attributes?: Value[] }[];
        status?: { code?: number; message?: string };
      }[];
    }[];
  }[];
}

/** Reads lines of OTLP's JSON. The last line may be incomplete. */
function spansIn(output: string): ReceivedSpan[] {
  const lines = output.slice(0, output.lastIndexOf("\n") + 1).split("\n");
  const batches = lines.filter((line) => line.startsWith("{")).map((line): Batch => JSON.parse(line));
  return batches
    .flatMap(({ resourceSpans }) => resourceSpans)
    .flatMap(({ resource, scopeSpans }) => {
      const service = String(valuesOf(resource.attributes)["service.name"]);
      return scopeSpans.flatMap(({ spans }) => spans).map((span) => ({ span, service }));
    })
    .map(({ span, service }) => ({
      service,
      name: span.name,
      traceId: span.traceId,
      spanId: span.spanId,
      parentSpanId: span.parentSpanId ?? "",
      begin: milliseconds(span.startTimeUnixNano),
      end: milliseconds(span.endTimeUnixNano),
      attributes: valuesOf(span.attributes),
      events: (span.events ?? []).map(({ name, timeUnixNano, attributes }) => ({
        name,
        time: milliseconds(timeUnixNano),
        attributes: valuesOf(attributes),
      })),
      // The status code of an error.
      failure: span.status?.code === 2 ? (span.status.message ?? "") : undefined,
    }));
}

function valuesOf(attributes: readonly Value[] = []): Record<string, unknown> {
  // OTLP writes whole numbers as texts, because they may be too large for JSON.
  return Object.fromEntries(
    attributes.map(({ key, value }) => [key, "intValue" in value ? Number(value.intValue) : Object.values(value)[0]]),
  );
}

function milliseconds(nanoseconds: string): number {
  return Number(BigInt(nanoseconds) / 1_000n) / 1_000;
}
