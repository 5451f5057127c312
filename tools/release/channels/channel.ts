import type { Rehearsal } from "./rehearsal";

/** An installation of the release by the client that users have. */
export interface Installation {
  /** The client, with its version. */
  readonly client: string;
  /** The version that it has installed. */
  readonly version: string;
  /** Every faulty release that was offered, and was therefore not installed or not published. */
  readonly refused: readonly string[];
}

/** A place from which users install. */
export interface Channel {
  readonly name: string;
  /**
   * Publishes to a stand-in of the place, on loopback, and installs from there.
   * @throws Error if a step fails, or if something wrong is not refused.
   */
  rehearse(rehearsal: Rehearsal): Promise<readonly Installation[]>;
}
