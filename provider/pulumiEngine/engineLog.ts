import { setTimeout } from "node:timers/promises";
import { timeLimits } from "../support/time/timeLimits";

/** A "status" is shown only while the resource's operation runs. The engine calls it ephemeral. */
type Kind = "debug" | "info" | "warn" | "status";

const severity: Record<Kind, number> = { debug: 0, info: 1, status: 1, warn: 2 };

/** The display of one engine. */
export class EngineLog {
  #lastShown: Promise<unknown> = Promise.resolve();
  #onTheWay = 0;

  /**
   * Writes to the engine's display, on the row of one resource, in the order of the calls. An "info" or a "warn" is also
   * listed at the end. A "debug" is shown only with `--debug`.
   */
  show(kind: Kind, engine: string | undefined, urn: string | undefined, text: string): void {
    if (engine !== undefined) {
      this.#onTheWay++;
      this.#lastShown = this.#lastShown
        .then(() => send(kind, engine, urn, text))
        // A text that cannot be shown does not make the run fail.
        .catch(() => {})
        .finally(() => this.#onTheWay--);
    }
  }

  /**
   * Resolves when the engine has received all texts, so that the texts of a call appear before the effects of its
   * answer.
   */
  async allShown(): Promise<void> {
    if (this.#onTheWay > 0) {
      const limit = new AbortController();
      const giveUp = setTimeout(timeLimits.engineLog, undefined, { signal: limit.signal }).catch(() => {});
      await Promise.race([this.#lastShown, giveUp]);
      limit.abort();
    }
  }
}

async function send(kind: Kind, engine: string, urn: string | undefined, text: string): Promise<void> {
  // Loaded here, because most runs show nothing.
  const { sendLog } = await import("./sendLog.js");
  await sendLog(engine, { severity: severity[kind], message: text, urn: urn ?? "", ephemeral: kind === "status" });
}
