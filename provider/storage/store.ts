export interface ObjectInfo {
  sizeBytes: number;
  /** Changes when the content changes. It may also change when the same content is written again. */
  revision: string;
}

export interface PutOptions {
  expectedBytes?: number | undefined;
  contentType: string;
  cacheControl?: string;
  signal: AbortSignal;
}

/**
 * A place for the files of one mirror. A name is relative, with `/`, and never leads out of the place. Every method
 * fails with an error of `support/errors`, or with the error that the given content has thrown. A registry is not a
 * store: it has images by digest and tag, and no files by name (see `ImageStore`).
 */
export interface Store {
  /** Writes the whole content under a name. If the content throws, the earlier object stays unchanged. */
  put(name: string, content: AsyncIterable<Buffer>, options: PutOptions): Promise<ObjectInfo>;
  stat(names: readonly string[]): Promise<Map<string, ObjectInfo>>;
  /** Returns the sha256 of an existing object; undefined if the store does not know it without a transfer. */
  sha256(name: string): Promise<string | undefined>;
  /**
   * Lists every file at the place, including files that do not belong to the mirror. A symbolic link counts as a file
   * and is not followed.
   */
  list(): AsyncGenerator<string>;
  /**
   * Reads a small text.
   * @returns undefined if the object does not exist, and an empty text if it has more than `maxBytes`, or if the name is
   * that of a link or a folder.
   */
  read(name: string, maxBytes: number): Promise<string | undefined>;
  content(name: string): AsyncGenerator<Buffer>;
  /**
   * Removes the objects. A missing object is no error. `signal` replaces the store's own signal, so that a removal
   * works even after that one has aborted.
   */
  remove(names: readonly string[], signal?: AbortSignal): Promise<void>;
  /**
   * Returns the address of an object, without a signature; for the empty name, the address of the place itself. The
   * address is known after the first `put`.
   */
  address(name: string): string;
  close(): void;
}
