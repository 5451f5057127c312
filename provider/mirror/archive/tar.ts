import { pipeline, Readable } from "node:stream";
import { createGunzip, createZstdDecompress } from "node:zlib";
import type { Header } from "tar-stream";
import { archiveError, quoteForMessage } from "./archiveError";
import type { ArchiveFormat, CheckedArchiveEntry } from "./format";
import type { UnpackBudget } from "./limits";

type TarFormat = Exclude<ArchiveFormat, "zip">;

const blockBytes = 512;

export async function* tarMembers(
  packed: Readable,
  format: TarFormat,
  budget: UnpackBudget,
): AsyncGenerator<CheckedArchiveEntry> {
  const { extract } = await import("tar-stream");
  let bytes = 0;
  async function* counted(stream: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of stream) {
      budget.addBytes(chunk.length);
      bytes += chunk.length;
      yield chunk;
    }
  }
  const tar = extract();
  const unpacked = Readable.from(counted(unpack(packed, format, budget)), { objectMode: false });
  unpacked.on("error", (error) => tar.destroy(error)).pipe(tar as unknown as NodeJS.WritableStream);
  let end = 0;
  try {
    for await (const entry of tar) {
      const { name, size, byteOffset } = entry.header as Header & { byteOffset: number };
      end = byteOffset + Math.ceil(size / blockBytes) * blockBytes;
      yield {
        name,
        kind: memberKind(entry.header),
        sizeBytes: size,
        content: () => entry as AsyncIterable<Buffer>,
      };
      entry.resume();
    }
  } finally {
    unpacked.destroy();
  }
  // A tar must end with a block of zeros, but tar-stream also accepts a tar without this block.
  if (bytes < end + blockBytes) {
    throw archiveError("the archive is cut short");
  }
}

function unpack(packed: Readable, format: TarFormat, budget: UnpackBudget): AsyncIterable<Buffer> {
  switch (format) {
    case "tar":
      return packed;
    case "tar.gz":
      return pipeline(packed, createGunzip({ chunkSize: 128 * 1024 }), () => undefined);
    case "tar.zst":
      return unpackZstd(packed, budget.packedBytes);
  }
}

/** Before version 26, Node.js stops after the first frame of a file. */
async function* unpackZstd(packed: AsyncIterable<Buffer>, sizeBytes: number): AsyncGenerator<Buffer> {
  const frame = pipeline(packed, createZstdDecompress({ chunkSize: 128 * 1024 }), () => undefined);
  yield* frame;
  if (frame.bytesWritten < sizeBytes) {
    throw archiveError("the archive has bytes behind its first zstd frame: a .tar.zst must be one frame");
  }
}

function memberKind({ name, type, pax }: Header): CheckedArchiveEntry["kind"] {
  if (Object.keys(pax ?? {}).some((key) => key.startsWith("GNU.sparse."))) {
    throw archiveError(`the archive's entry ${quoteForMessage(name)} is a sparse file`);
  }
  if (type !== "file" && type !== "directory") {
    throw archiveError(
      `the archive's entry ${quoteForMessage(name)} is ${type ? `a ${type}` : "of an unknown kind"}, not a file`,
    );
  }
  // Old tars have no entry type for folders. In them, the name of a folder ends with a slash.
  return type === "directory" || name.endsWith("/") ? "folder" : "file";
}
