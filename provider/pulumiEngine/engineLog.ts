import { booleanField, message, textField, varintField } from "../rpc/protobuf";
import { unlessAborted } from "../support/abort";
import { timeLimits } from "../support/time/timeLimits";

/**
 * The kind of a text in the display. A "status" is shown only while the resource's operation runs. The engine calls it
 * ephemeral.
 */
type Kind = "debug" | "info" | "warn" | "status";

const severity: Record<Kind, number> = { debug: 0, info: 1, status: 1, warn: 2 };

/** The message `LogRequest`, with the field numbers in `engine.proto` of Pulumi's source. */
const logRequest = message({
  severity: varintField(1),
  message: textField(2),
  urn: textField(3),
  ephemeral: booleanField(5),
});

/** Shows texts in the display of the engine. */
export class EngineLog {
  #lastShown: Promise<unknown> = Promise.resolve();

  /**
   * Shows a text in the engine's display, on the row of one resource. Texts appear in the order of the calls. The
   * engine lists an "info" or a "warn" also at the end of the run, and shows a "debug" only with `--debug`.
   */
  show(kind: Kind, engine: string | undefined, urn: string | undefined, text: string): void {
    if (engine !== undefined) {
      this.#lastShown = this.#lastShown
        .then(() => send(kind, engine, urn, text))
        // If a text cannot be shown, the run continues.
        .catch(() => {});
    }
  }

  /**
   * Resolves when the engine has received all texts, or after a time limit. Each method of the provider waits for this
   * before it answers the engine. So the engine shows the method's texts before anything that follows from the answer.
   */
  async allShown(): Promise<void> {
    await unlessAborted(this.#lastShown, AbortSignal.timeout(timeLimits.engineLog)).catch(() => {});
  }
}

async function send(kind: Kind, engine: string, urn: string | undefined, text: string): Promise<void> {
  // The module is loaded at its first use, because loading takes time, and most runs show nothing.
  const { callRpc } = await import("../rpc/rpcClient.js");
  const line = { severity: severity[kind], message: text, urn: urn ?? "", ephemeral: kind === "status" };
  await callRpc(engine, "/pulumirpc.Engine/Log", logRequest.encode(line));
}
