import { AsyncLocalStorage } from "node:async_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { PartialFailure } from "../resources/lifecycle";
import { DocsPlatformError } from "../support/errors";
import { type RunSpan, untraced } from "../support/span";
import { timeLimits } from "../support/time/timeLimits";
import type { OpenSpan, SpanExporter } from "./openTelemetry";

/** The parts of a process that a trace uses. */
interface TraceOptions {
  environment: NodeJS.ProcessEnv;
  debug(text: string): void;
  /** Called before the first span: from now on this process must end by {@link Trace.end}. */
  begin(): void;
}

/**
 * The spans of this process, below those of the engine. If the environment names no endpoint, there are no spans, and
 * no library is loaded.
 */
export class Trace {
  /** The W3C `traceparent` of the current span: a span of the engine, or of this process. */
  readonly #parent = new AsyncLocalStorage<string | undefined>();
  readonly #endpoint: string | undefined;
  readonly #open = new Set<OpenSpan>();
  #exporter: Promise<SpanExporter | undefined> | undefined;

  readonly #around: TraceOptions;

  constructor(around: TraceOptions) {
    this.#around = around;
    this.#endpoint = endpointIn(around.environment);
  }

  /** True if the environment names an endpoint for spans. */
  get isWanted(): boolean {
    return this.#endpoint !== undefined;
  }

  /** Runs `work`, a call of the engine, below the engine's span, if the engine names its span. */
  below<T>(parent: string | undefined, work: () => T): T {
    return this.#parent.run(parent, work);
  }

  /** Sets the parent span for everything that the caller does from here on. */
  enter(parent: string | undefined): void {
    this.#parent.enterWith(parent);
  }

  readonly span: RunSpan = async (name, attributes, work) => {
    const exporter = await this.#load();
    if (exporter === undefined) {
      return untraced(name, attributes, work);
    }
    const span = exporter.start(name, attributes, this.#parent.getStore() ?? this.#around.environment.TRACEPARENT);
    this.#open.add(span);
    try {
      return await this.#parent.run(span.traceparent, () => work(span));
    } catch (error) {
      span.fail(codeOf(error));
      throw error;
    } finally {
      this.#close(span);
    }
  };

  /** Ends the open spans, and sends the remaining spans. */
  async end(): Promise<void> {
    for (const span of this.#open) {
      span.fail("the process ended");
      this.#close(span);
    }
    const flushed = this.#exporter?.then((exporter) => exporter?.end());
    await Promise.race([flushed, sleep(timeLimits.traceFlush, undefined, { ref: false })]);
  }

  #close(span: OpenSpan): void {
    if (this.#open.delete(span)) {
      span.end();
    }
  }

  #load(): Promise<SpanExporter | undefined> {
    this.#exporter ??= this.#endpoint === undefined ? Promise.resolve(undefined) : this.#begin(this.#endpoint);
    return this.#exporter;
  }

  /** Loads the exporter. The libraries come with the SDK; an old SDK does not have them. */
  async #begin(endpoint: string): Promise<SpanExporter | undefined> {
    try {
      const { exportSpans } = await import("./openTelemetry.js");
      const exporter = exportSpans(endpoint, this.#around.debug);
      this.#around.begin();
      return exporter;
    } catch (error) {
      this.#around.debug(`spans are not sent: ${error instanceof Error ? error.message.split("\n")[0] : error}`);
      return undefined;
    }
  }
}

/**
 * Returns the endpoint. The engine's own receiver (`--otel-traces`) goes first: it forwards the spans to where the user
 * wants them.
 */
function endpointIn(environment: NodeJS.ProcessEnv): string | undefined {
  const { PULUMI_OTEL_EXPORTER_OTLP_ENDPOINT: ofTheEngine = "", OTEL_EXPORTER_OTLP_ENDPOINT: general = "" } =
    environment;
  if (ofTheEngine.trim() !== "") {
    return ofTheEngine.includes("://") ? ofTheEngine : `http://${ofTheEngine}`;
  }
  return general.trim() === "" ? undefined : general;
}

function codeOf(error: unknown): string {
  const reason = error instanceof PartialFailure ? error.reason : error;
  return reason instanceof DocsPlatformError ? reason.code : "an error";
}
