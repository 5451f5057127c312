import { setTimeout } from "node:timers/promises";

/** A "status" is shown as long as the resource is at work; it is ephemeral in the engine's words. */
type Kind = "debug" | "info" | "warn" | "status";

const severity: Record<Kind, number> = { debug: 0, info: 1, status: 1, warn: 2 };

let lastShown: Promise<unknown> = Promise.resolve();
/** How many texts the engine does not have yet. */
let onTheWay = 0;

/** An engine that takes a text no sooner gets its answer all the same; milliseconds. */
const longestTelling = 2_000;

/**
 * Writes to the engine's display, on the row of one resource, in the order of the calls. An "info" or a "warn" is also listed
 * below the rows, in the end. A "debug" is shown with `--debug` only, which the engine tells nobody. In a run without a display
 * each is a line of its own.
 * @param engine its address; without one, nothing is shown.
 */
export function show(kind: Kind, engine: string | undefined, urn: string | undefined, text: string): void {
  if (engine !== undefined) {
    onTheWay++;
    lastShown = lastShown
      .then(() => send(kind, engine, urn, text))
      // Progress is never worth a failure.
      .catch(() => {})
      .finally(() => onTheWay--);
  }
}

/** Resolves when the engine has all that was shown: what a call says stands before what its answer brings about. */
export async function allShown(): Promise<void> {
  if (onTheWay > 0) {
    const limit = new AbortController();
    const giveUp = setTimeout(longestTelling, undefined, { signal: limit.signal }).catch(() => {});
    await Promise.race([lastShown, giveUp]);
    limit.abort();
  }
}

async function send(kind: Kind, engine: string, urn: string | undefined, text: string): Promise<void> {
  // Loaded here, since most runs show nothing.
  const { sendLog } = await import("./sendLog.js");
  await sendLog(engine, { severity: severity[kind], message: text, urn: urn ?? "", ephemeral: kind === "status" });
}
