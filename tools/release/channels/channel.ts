import type { Rehearsal } from "./rehearsal";

/** An installation of the release by the same client as users have. */
export interface Installation {
  /** The client, with its version. */
  readonly client: string;
  /** The version that it has installed. */
  readonly version: string;
  /** Every faulty release that the client was offered and did not install or publish. */
  readonly refused: readonly string[];
}

/** A place from which users install. */
export interface Channel {
  readonly name: string;
  /**
   * Publishes to a local server that replaces the channel, and installs from there.
   * @throws Error if a step fails, or if a faulty release is not refused.
   */
  rehearse(rehearsal: Rehearsal): Promise<readonly Installation[]>;
}
