/** What we use of the SDK's own state, whose types it does not publish. */
interface SdkState {
  getStore(): { settings: { options: { engineAddr?: string } } };
}

type Severity = "debug" | "info" | "warn";

/** What the SDK's log reads of a resource. */
interface Row {
  urn: { promise(): Promise<string> };
}

/** What we use of the SDK's log. */
type Log = Record<
  Severity,
  (text: string, row: Row, streamId: number | undefined, ephemeral: boolean) => Promise<void>
>;

/**
 * Writes to the engine's display, on the row of one resource. A "status" is shown as long as the resource is at work. An
 * "info" or a "warn" is also listed below the rows, in the end. A "debug" is shown with `--debug` only, which the engine tells
 * nobody. In a run without a display each is a line of its own. The SDK's log knows no engine in a provider process until it
 * is told its address. Where a later SDK is built otherwise, there is no progress, and nothing else is lost.
 */
export function show(
  kind: "status" | Severity,
  engine: string | undefined,
  urn: string | undefined,
  text: string,
): void {
  try {
    const { log }: { log: Log } = require("@pulumi/pulumi");
    const { getStore }: SdkState = require("@pulumi/pulumi/runtime/state");
    const { options } = getStore().settings;
    if (!options.engineAddr && engine !== undefined) {
      options.engineAddr = engine;
    }
    const row = { urn: { promise: () => Promise.resolve(urn ?? "") } };
    log[kind === "status" ? "info" : kind](text, row, undefined, kind === "status").catch(() => {});
  } catch {
    // Progress is never worth a failure.
  }
}
