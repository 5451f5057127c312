import { archiveError } from "./archiveError";

const mebibyte = 1024 ** 2;

export const defaultUnpackLimits = {
  files: 100_000,
  bytes: 8 * 1024 * mebibyte,
  ratio: 200,
  /** `ratio` is not checked up to this number of unpacked bytes, because so few bytes are harmless. */
  ratioFrom: 64 * mebibyte,
  pathBytes: 1_024,
  levels: 32,
};

export type UnpackLimits = typeof defaultUnpackLimits;

export class UnpackBudget {
  #entries = 0;
  #bytes = 0;

  constructor(
    readonly limits: UnpackLimits,
    readonly packedBytes: number,
  ) {}

  addEntry(): void {
    this.#entries += 1;
    if (this.#entries > this.limits.files) {
      throw archiveError(`the archive contains more than ${this.limits.files} files`);
    }
  }

  addBytes(count: number): void {
    this.#bytes += count;
    if (this.#bytes > this.limits.bytes) {
      throw archiveError(`the archive contains more than ${this.limits.bytes} bytes`);
    }
    if (this.#bytes > this.limits.ratioFrom && this.#bytes > this.limits.ratio * this.packedBytes) {
      throw archiveError(`the archive unpacks to more than ${this.limits.ratio} times its size`);
    }
  }
}
