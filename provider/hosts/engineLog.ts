import { engineAddress } from "./engineAddress";

/** Writes to the engine's display, on the row of one resource. */
export interface EngineLog {
  /** Shown while the resource is at work; in a run without a display it is a line of its own. */
  status(urn: string | undefined, text: string): void;
  warn(urn: string | undefined, text: string): void;
}

/** What we use of the SDK's own state, whose types it does not publish. */
interface SdkState {
  getStore(): { settings: { options: { engineAddr?: string } } };
}

/**
 * The SDK's log, which in a provider process knows no engine until it is told its address. Where a later SDK is built
 * otherwise, there is no progress, and nothing else is lost.
 */
export const engineLog: EngineLog = {
  status: (urn, text) => send("info", urn, text, true),
  warn: (urn, text) => send("warn", urn, text, false),
};

function send(severity: "info" | "warn", urn: string | undefined, text: string, ephemeral: boolean): void {
  try {
    const { log }: typeof import("@pulumi/pulumi") = require("@pulumi/pulumi");
    const { getStore }: SdkState = require("@pulumi/pulumi/runtime/state");
    const { options } = getStore().settings;
    const address = engineAddress();
    if (!options.engineAddr && address !== undefined) {
      options.engineAddr = address;
    }
    // All that the log asks of a resource is its URN.
    const row = { urn: { promise: () => Promise.resolve(urn ?? "") } } as unknown as import("@pulumi/pulumi").Resource;
    log[severity](text, row, undefined, ephemeral).catch(() => {});
  } catch {
    // Progress is never worth a failure.
  }
}
