/** What a store knows about an object without reading it. */
export interface ObjectInfo {
  sizeBytes: number;
  /** Changes when the content changes. It may also change when the same content is written again. */
  revision: string;
}

export interface PutOptions {
  /** The size of the content, if it is known. */
  expectedBytes?: number | undefined;
  contentType: string;
  /** The HTTP header that a web server or CDN in front of the destination sends. */
  cacheControl?: string;
  signal: AbortSignal;
}

/**
 * A place for the files of one mirror. A name is relative, with `/`, and never leads out of the place. Every method fails
 * with an error of `support/errors`, or with the error that the given content has thrown. A registry is not a store: it holds
 * images by digest and tag, and no files by name (see `OciStore`).
 */
export interface Store {
  /** Writes the whole content under a name, or nothing: if the content throws, the earlier object stays. */
  put(name: string, content: AsyncIterable<Buffer>, options: PutOptions): Promise<ObjectInfo>;
  /** Returns the names that exist, with their information. */
  stat(names: readonly string[]): Promise<Map<string, ObjectInfo>>;
  /** The sha256 of an object that is there, if the store can tell it without a transfer. */
  sha256(name: string): Promise<string | undefined>;
  /** Lists every file at the place, including files of others. A symbolic link counts as a file and is not followed. */
  list(): AsyncGenerator<string>;
  /** Reads a small text. @returns undefined if there is none, and an empty text if it has more than `maxBytes`. */
  read(name: string, maxBytes: number): Promise<string | undefined>;
  /** Reads an object that is there. */
  content(name: string): AsyncGenerator<Buffer>;
  /** Removes the objects. A missing object is no error. With `signal` it also works after the store's own signal. */
  remove(names: readonly string[], signal?: AbortSignal): Promise<void>;
  /**
   * The address of an object, without a signature; for the empty name, of the place itself. Known after the first
   * `put`.
   */
  address(name: string): string;
  close(): void;
}
