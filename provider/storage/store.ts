export interface ObjectInfo {
  sizeBytes: number;
  /** Changes when the content changes. It may also change when equal content is written again. */
  revision: string;
}

export interface PutOptions {
  expectedBytes?: number | undefined;
  contentType: string;
  cacheControl?: string;
  signal: AbortSignal;
}

/**
 * A place for the files of one mirror. A name is relative, has `/` between its segments, and never leads out of the
 * place. Every method throws an error of `support/errors`, or the error that the given content has thrown. A registry
 * is not a store, because it has images by digest and tag, and no files by name (see `ImageStore`).
 */
export interface Store {
  /** Writes the whole content under a name. If the content throws, an earlier object of this name stays unchanged. */
  put(name: string, content: AsyncIterable<Buffer>, options: PutOptions): Promise<ObjectInfo>;
  stat(names: readonly string[]): Promise<Map<string, ObjectInfo>>;
  /**
   * Returns the sha256 of an existing object; undefined if the store cannot find it without a transfer of the object.
   */
  sha256(name: string): Promise<string | undefined>;
  /**
   * Lists every file at the place, also those that do not belong to the mirror. A symbolic link counts as a file and is
   * not followed.
   */
  list(): AsyncGenerator<string>;
  /**
   * Reads a small text.
   * @returns undefined if the object does not exist. The text is empty if the object has more than `maxBytes`, or if
   * the name belongs to a link or a folder.
   */
  read(name: string, maxBytes: number): Promise<string | undefined>;
  content(name: string): AsyncGenerator<Buffer>;
  /**
   * Removes the objects. A missing object is no error. `signal` replaces the store's own signal, so that a removal
   * works even after the store's signal has aborted.
   */
  remove(names: readonly string[], signal?: AbortSignal): Promise<void>;
  /**
   * Returns the address of an object. It is not a presigned link. For an empty name, it is the address of the place
   * itself. The address is known after the first `put`.
   */
  address(name: string): string;
  close(): void;
}
