import { AsyncLocalStorage } from "node:async_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { type RunSpan, untraced } from "../support/span";
import { timeLimits } from "../support/time/timeLimits";
import type { Tracer } from "./openTelemetry";

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
  readonly #parent = new AsyncLocalStorage<string | undefined>();
  readonly #endpoint: string | undefined;
  #tracer: Promise<Tracer | undefined> | undefined;

  constructor(private readonly around: TraceOptions) {
    this.#endpoint = endpointIn(around.environment);
  }

  get isWanted(): boolean {
    return this.#endpoint !== undefined;
  }

  below<T>(parent: string | undefined, work: () => T): T {
    return this.#parent.run(parent, work);
  }

  enter(parent: string | undefined): void {
    this.#parent.enterWith(parent);
  }

  readonly span: RunSpan = async (name, attributes, work) => {
    const tracer = await this.#load();
    const parent = this.#parent.getStore() ?? this.around.environment.TRACEPARENT;
    return tracer === undefined
      ? untraced(name, attributes, work)
      : tracer.span(name, attributes, parent, (span, own) => this.#parent.run(own, () => work(span)));
  };

  async end(): Promise<void> {
    const ended = this.#tracer?.then((tracer) => tracer?.end());
    await Promise.race([ended, sleep(timeLimits.traceFlush, undefined, { ref: false })]);
  }

  #load(): Promise<Tracer | undefined> {
    this.#tracer ??= this.#endpoint === undefined ? Promise.resolve(undefined) : this.#begin(this.#endpoint);
    return this.#tracer;
  }

  /** The libraries come with the SDK; an old SDK does not have them. */
  async #begin(endpoint: string): Promise<Tracer | undefined> {
    try {
      const { openTracer } = await import("./openTelemetry.js");
      const tracer = openTracer(endpoint, this.around.debug);
      this.around.begin();
      return tracer;
    } catch (error) {
      this.around.debug(`spans are not sent: ${error instanceof Error ? error.message.split("\n")[0] : error}`);
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
