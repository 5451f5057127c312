export interface ObjectInfo {
  sizeBytes: number;
  /** Changes when the content changes. It may also change when equal content is written again. */
  revision: string;
}

export interface PutObjectOptions {
  expectedBytes?: number | undefined;
  contentType: string;
  cacheControl?: string;
  signal: AbortSignal;
}

/**
 * A place for the files of one mirror. A name is relative, with `/` between its segments, and never leads out of the
 * place. Methods throw errors of `support/errors`, or an error that the given content throws.
 */
export interface FileOrObjectStore {
  /** If the content throws, an earlier object of this name stays unchanged. */
  put(name: string, content: AsyncIterable<Buffer>, options: PutObjectOptions): Promise<ObjectInfo>;
  stat(names: readonly string[]): Promise<Map<string, ObjectInfo>>;
  /** Undefined if the store cannot find the sha256 without a transfer of the object. */
  sha256(name: string): Promise<string | undefined>;
  /** Lists every file, also those that do not belong to the mirror. A link counts as a file, and is not followed. */
  list(): AsyncGenerator<string>;
  /**
   * Returns undefined if the object does not exist. The text is empty if the object is larger than `maxBytes`, or is a
   * link or a folder.
   */
  read(name: string, maxBytes: number): Promise<string | undefined>;
  content(name: string): AsyncGenerator<Buffer>;
  /** A missing object is no error. `signal` replaces the store's own signal, which may have aborted. */
  remove(names: readonly string[], signal?: AbortSignal): Promise<void>;
  /**
   * Returns the address without a signature; for an empty name, the address of the place. The address is known after
   * the first `put`.
   */
  address(name: string): string;
  close(): void;
}
