/** How long the provider waits for others, if no setting limits it. Milliseconds. */
export const timeLimits = {
  /** To make a connection. `requestTimeout` may be shorter. */
  connect: 10_000,
  /** For a storage's whole answer without an object's content. */
  storageAnswer: 60_000,
  storageRequest: 120_000,
  /**
   * The longest time without a byte from a storage. A storage may need minutes to check a large object, or to join its
   * parts.
   */
  storageSilence: 300_000,
  /** For S3 to join the parts of an object. It begins its answer before it joins them. */
  joinParts: 900_000,
  /** For one call of a file system, which may be a network drive that hangs. */
  fileCall: 30_000,
  /** For a file system to flush its memory. */
  fileFlush: 300_000,
  /** For a registry to drop the bytes of a failed or cancelled upload. */
  abandon: 10_000,
  /** For one operation of a journal in a bucket, so that a place that does not answer cannot block a run. */
  journal: 15_000,
  /** For a command that prints a key or a credential. It may ask a keyring, a cloud, or a person who is away. */
  command: 30_000,
  /** For the output of a program that has ended. A process that it left behind may keep the pipe open. */
  programOutput: 1_000,
  /** For `pulumi stack export`, because a remote backend may be slow. */
  stackExport: 60_000,
  localEngine: 1_000,
  /** For the engine to receive the texts of its display before a call is answered. */
  engineLog: 2_000,
  /** For the last writes of a run. The engine ends a provider's process after five seconds. */
  runEnd: 4_000,
} as const;
