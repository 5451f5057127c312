import { createReadStream } from "node:fs";
import { pipeline } from "node:stream";
import { createGunzip } from "node:zlib";
import type { Header } from "tar-stream";
import { ByteReader } from "./byteReader";
import { archiveError, quoted } from "./error";
import type { ArchiveFormat, Member } from "./format";
import type { UnpackBudget } from "./limits";
import { nextTarHeader, paddedSize } from "./tarHeader";
import { unpackXz } from "./xz";
import { unpackZstd } from "./zstd";

/** A tar file, compressed or not. */
type TarFormat = Exclude<ArchiveFormat, "zip">;

/** Reads the members of a tar once, from start to end. Bytes after the end mark do not belong to the tar. */
export async function* tarMembers(file: string, format: TarFormat, budget: UnpackBudget): AsyncGenerator<Member> {
  const { extract } = await import("tar-stream");
  const reader = new ByteReader(counted(openTar(file, format), budget));
  try {
    for (;;) {
      const header = await nextTarHeader(reader, extract);
      if (!header) {
        return await reader.toEnd();
      }
      const { name, size } = header;
      const kind = memberKind(header);
      let left = size;
      async function* content(): AsyncGenerator<Buffer> {
        for (; left > 0; ) {
          const piece = await take(reader, left);
          left -= piece.length;
          yield piece;
        }
      }
      yield { name, kind, sizeBytes: size, content };
      for (left += paddedSize(size) - size; left > 0; ) {
        left -= (await take(reader, left)).length;
      }
    }
  } finally {
    await reader.close();
  }
}

function openTar(file: string, format: TarFormat): AsyncIterable<Buffer> {
  const packed = createReadStream(file, { highWaterMark: 256 * 1024 });
  switch (format) {
    case "tar":
      return packed;
    case "tar.gz":
      // `pipeline` passes an error of either stream to the last stream.
      return pipeline(packed, createGunzip({ chunkSize: 128 * 1024 }), () => undefined);
    case "tar.zst":
      return unpackZstd(packed);
    case "tar.xz":
      return unpackXz(packed);
  }
}

async function* counted(stream: AsyncIterable<Buffer>, budget: UnpackBudget): AsyncGenerator<Buffer> {
  for await (const chunk of stream) {
    budget.addBytes(chunk.length);
    yield chunk;
  }
}

async function take(reader: ByteReader, size: number): Promise<Buffer> {
  const piece = await reader.some(size);
  if (!piece) {
    throw archiveError("the archive is cut short");
  }
  return piece;
}

function memberKind({ name, type, size, pax }: Header): Member["kind"] {
  if (Object.keys(pax ?? {}).some((key) => key.startsWith("GNU.sparse."))) {
    throw archiveError(`the archive's entry ${quoted(name)} is a sparse file`);
  }
  if (type !== "file" && type !== "directory") {
    throw archiveError(
      `the archive's entry ${quoted(name)} is ${type ? `a ${type}` : "of an unknown kind"}, not a file`,
    );
  }
  // Old tars have no type for folders: a slash at the end marks a folder.
  const folder = type === "directory" || name.endsWith("/");
  if (folder && size > 0) {
    throw archiveError(`the archive's entry ${quoted(name)} is a folder with content`);
  }
  return folder ? "folder" : "file";
}
