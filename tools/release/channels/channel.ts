import type { Rehearsal } from "./rehearsal";

/** An installation of the release, made by the same client that users have. */
export interface Installation {
  /** The client, with its version. */
  readonly client: string;
  /** The version that the client has installed. */
  readonly version: string;
  /** The faulty releases that were offered to the client, and that it did not install or publish. */
  readonly refused: readonly string[];
}

/** A registry or another source from which users install. */
export interface Channel {
  readonly name: string;
  /**
   * Publishes the release to a local server that replaces the channel, and installs it from that server.
   * @throws Error if a step fails, or if a faulty release is not refused.
   */
  rehearse(rehearsal: Rehearsal): Promise<readonly Installation[]>;
}
