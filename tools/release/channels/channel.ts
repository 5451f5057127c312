import type { Rehearsal } from "./rehearsal";

/** An installation of the release, made by the same client that users have. */
export interface Installation {
  /** The client's name and version. */
  readonly client: string;
  /** The installed version of the release. */
  readonly version: string;
  /** The faulty releases that the client refused to install or publish. */
  readonly refused: readonly string[];
}

/** A registry or another source from which users install. */
export interface Channel {
  readonly name: string;
  /** Publishes the release locally and installs it. Throws if a step fails, or if a faulty release is accepted. */
  rehearse(rehearsal: Rehearsal): Promise<readonly Installation[]>;
}
