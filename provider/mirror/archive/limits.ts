import { archiveError } from "./error";

/** What an archive may at most hold. */
export interface UnpackLimits {
  /** Entries, folders included. */
  files: number;
  /** Unpacked bytes; of a tar with its headers and padding. */
  bytes: number;
  /** Unpacked bytes for each packed one. */
  ratio: number;
  /** The unpacked bytes from which on the ratio is looked at, since a small archive harms nobody. */
  ratioFrom: number;
  /** Bytes of a path in UTF-8. */
  pathBytes: number;
  /** Folders around a file, and the file itself. */
  levels: number;
}

const mebibyte = 1024 ** 2;

export const defaultLimits: UnpackLimits = {
  files: 100_000,
  bytes: 8 * 1024 * mebibyte,
  ratio: 200,
  ratioFrom: 64 * mebibyte,
  pathBytes: 1_024,
  levels: 32,
};

/** Counts what comes out of one archive, and refuses it as soon as it is too much. */
export class UnpackBudget {
  readonly limits: UnpackLimits;
  readonly #packedBytes: number;
  #entries = 0;
  #bytes = 0;

  constructor(limits: UnpackLimits, packedBytes: number) {
    this.limits = limits;
    this.#packedBytes = packedBytes;
  }

  addEntry(): void {
    this.#entries += 1;
    if (this.#entries > this.limits.files) {
      throw archiveError(`the archive holds more than ${this.limits.files} files`);
    }
  }

  addBytes(count: number): void {
    this.#bytes += count;
    if (this.#bytes > this.limits.bytes) {
      throw archiveError(`the archive holds more than ${this.limits.bytes} bytes`);
    }
    if (this.#bytes > this.limits.ratioFrom && this.#bytes > this.limits.ratio * this.#packedBytes) {
      throw archiveError(`the archive unpacks to more than ${this.limits.ratio} times its size`);
    }
  }
}
