import type { FileHandle } from "node:fs/promises";
import type { RandomAccessReader } from "yauzl";
import { archiveError } from "./error";

const windowBytes = 256 * 1024;

interface Window {
  position: number;
  bytes: Buffer;
}

/**
 * Reads a file in large windows. A zip is read in many small pieces from two places, its directory and its data; without
 * the windows each piece would be a system call.
 */
export class WindowedFile {
  readonly #handle: FileHandle;
  /** The most recently used window is first. */
  #windows: Window[] = [];

  constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  /** Returns `length` bytes from the position, at most one window; fewer only at the file's end. */
  async readAt(position: number, length: number): Promise<Buffer> {
    const wanted = Math.min(length, windowBytes);
    const window = this.#windows.find((one) => contains(one, position, wanted)) ?? (await this.#load(position));
    this.#windows = [window, ...this.#windows.filter((one) => one !== window)].slice(0, 2);
    const start = position - window.position;
    return window.bytes.subarray(start, start + wanted);
  }

  /** @throws ArchiveError if the file ends before `length` bytes. */
  async *chunks(position: number, length: number): AsyncGenerator<Buffer> {
    for (let done = 0; done < length; ) {
      const chunk = await this.readAt(position + done, length - done);
      if (chunk.length === 0) {
        throw archiveError("the archive is cut short");
      }
      done += chunk.length;
      yield chunk;
    }
  }

  async #load(position: number): Promise<Window> {
    const buffer = Buffer.allocUnsafe(windowBytes);
    const { bytesRead } = await this.#handle.read(buffer, 0, windowBytes, position);
    return { position, bytes: buffer.subarray(0, bytesRead) };
  }
}

function contains({ position, bytes }: Window, from: number, length: number): boolean {
  return from >= position && from + length <= position + bytes.length;
}

/** Adapts the file to yauzl. The class is a parameter, since yauzl is loaded at first use. */
export function zipReader(Base: typeof RandomAccessReader, file: WindowedFile): RandomAccessReader {
  return new (class extends Base {
    override read(
      buffer: Buffer,
      offset: number,
      length: number,
      position: number,
      callback: (error: Error | null, bytesRead?: number) => void,
    ): void {
      copy(file, buffer.subarray(offset, offset + length), position).then((count) => callback(null, count), callback);
    }
  })();
}

async function copy(file: WindowedFile, target: Buffer, position: number): Promise<number> {
  let copied = 0;
  for await (const chunk of file.chunks(position, target.length)) {
    copied += chunk.copy(target, copied);
  }
  return copied;
}
