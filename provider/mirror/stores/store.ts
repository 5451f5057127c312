/** No text of ours is larger: a site's manifest, which is the largest, is held to it before it is written. */
export const maxTextBytes = 64 * 1024 ** 2;

/** What a look at an object tells, without reading it. */
export interface ObjectInfo {
  sizeBytes: number;
  /** Another one where the object was written since; the same content may have several. */
  revision: string;
}

export interface PutOptions {
  /** How many bytes are to come, where it is known. */
  expectedBytes?: number | undefined;
  contentType: string;
  /** For a web server or CDN before the destination. */
  cacheControl?: string;
  signal: AbortSignal;
}

/**
 * A place for the files of one mirror. A name is relative, with `/`, and is never one that leads out of the place. Every
 * method fails with an error of `support/errors`, or with what the content that it was given has thrown.
 */
export interface Store {
  /** Puts the whole content under a name, or nothing: where the content throws, what was there before stays. */
  put(name: string, content: AsyncIterable<Buffer>, options: PutOptions): Promise<ObjectInfo>;
  /** Those of the names that are there. */
  stat(names: readonly string[]): Promise<Map<string, ObjectInfo>>;
  /** The sha256 of an object, where it can be had without a transfer. */
  sha256(name: string): Promise<string | undefined>;
  /** Every file at the place, also what is no file of this mirror; a link is one, and is not followed. */
  list(): AsyncGenerator<string>;
  /** A small text; empty for one of more than {@link maxTextBytes}, which is none of ours. */
  read(name: string): Promise<string | undefined>;
  /** Removes the objects; what is missing already is no error. */
  remove(names: readonly string[]): Promise<void>;
  /** Where an object is reached, without a signature; of the empty name, the place itself. Known after the first put. */
  address(name: string): string;
  close(): void;
}
