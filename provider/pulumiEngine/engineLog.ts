import { booleanField, defineMessage, textField, varintField } from "../rpc/protobuf";
import { unlessAborted } from "../support/abort";
import { timeLimits } from "../support/time/timeLimits";

/** A "status" is shown only while the resource's operation runs. The engine calls it ephemeral. */
type Kind = "debug" | "info" | "warn" | "status";

const severity: Record<Kind, number> = { debug: 0, info: 1, status: 1, warn: 2 };

/** The message `LogRequest`, with the field numbers in `engine.proto` of Pulumi's source. */
const logRequest = defineMessage({
  severity: varintField(1),
  message: textField(2),
  urn: textField(3),
  ephemeral: booleanField(5),
});

export class EngineLog {
  #lastShown: Promise<unknown> = Promise.resolve();

  /** The engine repeats an "info" or a "warn" at the end of the run, and shows a "debug" only with `--debug`. */
  show(kind: Kind, engine: string | undefined, urn: string | undefined, text: string): void {
    if (engine !== undefined) {
      this.#lastShown = this.#lastShown
        .then(() => send(kind, engine, urn, text))
        // If a text cannot be shown, the run continues.
        .catch(() => {});
    }
  }

  /**
   * Resolves when the engine has received all texts, or after a time limit. Each method waits for this before it
   * answers, so that its texts appear before the engine continues.
   */
  async allShown(): Promise<void> {
    await unlessAborted(this.#lastShown, AbortSignal.timeout(timeLimits.engineLog)).catch(() => {});
  }
}

async function send(kind: Kind, engine: string, urn: string | undefined, text: string): Promise<void> {
  // Most runs show nothing, so the module is loaded at its first use.
  const { callRpc } = await import("../rpc/rpcClient.js");
  const line = { severity: severity[kind], message: text, urn: urn ?? "", ephemeral: kind === "status" };
  await callRpc(engine, "/pulumirpc.Engine/Log", logRequest.encode(line));
}
