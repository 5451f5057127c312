/** The longest waits for other programs, in milliseconds. */
export const timeLimits = {
  /** The time limit for a connection. `requestTimeout` may be shorter. */
  connect: 10_000,
  /** The time limit for a storage's complete answer, without the content of an object. */
  storageAnswer: 60_000,
  storageRequest: 120_000,
  /** The longest time without a byte from a storage, which may need minutes to check or to join a large object. */
  storageSilence: 300_000,
  /**
   * The time limit for S3 to join the parts of an object. S3 begins its answer before the join, and completes it
   * afterwards.
   */
  joinParts: 900_000,
  /** The time limit for one call of a file system, because a network drive may not answer. */
  fileCall: 30_000,
  /** The time limit for a file system to write its data from memory to the disk. */
  fileFlush: 300_000,
  /** The time limit for a registry to delete the bytes of a failed or cancelled upload. */
  abandon: 10_000,
  /** The time limit for one operation of a journal in a bucket, so that a silent bucket cannot block a run. */
  journal: 15_000,
  /** The time limit for a command that prints a key. It may wait for a keyring, a cloud, or a user who is absent. */
  command: 30_000,
  /**
   * The time limit for the output of an ended program. A process that the program left behind may keep the pipe open.
   */
  programOutput: 1_000,
  /** The time limit for `pulumi stack export`, because a remote backend may be slow. */
  stackExport: 60_000,
  localEngine: 1_000,
  /** Before each answer, the provider waits until the engine has received all texts, but not longer than this. */
  engineLog: 2_000,
  /** The time limit for the last writes of a run. The engine kills a provider's process after five seconds. */
  runEnd: 4_000,
} as const;
