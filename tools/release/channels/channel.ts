import type { Rehearsal } from "./rehearsal";

/** An installation of the release, made by the same client that users have. */
export interface Installation {
  /** The client, with its version. */
  readonly client: string;
  /** The version that the client has installed. */
  readonly version: string;
  /** The faulty releases that the client refused to install or publish. */
  readonly refused: readonly string[];
}

/** A registry or another source from which users install. */
export interface Channel {
  readonly name: string;
  /** Publishes the release to a local server and installs it. Throws if a step fails, or accepts a faulty release. */
  rehearse(rehearsal: Rehearsal): Promise<readonly Installation[]>;
}
