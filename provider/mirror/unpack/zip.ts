import { type FileHandle, open } from "node:fs/promises";
import { pipeline } from "node:stream";
import { crc32, createInflateRaw } from "node:zlib";
import type { Entry, LocalFileHeader, ZipFile } from "yauzl";
import type { Tally } from "./limits";
import type { Member } from "./member";
import { refusal, shown } from "./refusal";

const deflated = 8;
const encryptionFlags = 0x1 | 0x40 | 0x2000;
/** The sizes and the sum stand behind the file's data, and not in its local header. */
const sizesBehindFlag = 0x8;
/** The length of what ends a directory; an empty zip is only this, and its comment. */
const endBytes = 22;
const inZip64Field = 0xffffffff;

/** The members of a zip, in the order of its directory. */
export async function* zipMembers(file: string, tally: Tally): AsyncGenerator<Member> {
  const { openPromise, getFileNameLowLevel } = await import("yauzl");
  // Names stay bytes here, so that they are refused by our own rules, with names that are safe to show.
  const zip = await openPromise(file, { decodeStrings: false });
  const handle = await open(file);
  try {
    if (zip.entryCount === 0 && zip.fileSize > endBytes + zip.comment.length) {
      throw refusal("the archive is cut short, or no whole zip");
    }
    for await (const entry of zip.eachEntry()) {
      const { generalPurposeBitFlag, fileNameRaw, extraFields, uncompressedSize } = entry;
      const name = getFileNameLowLevel(generalPurposeBitFlag, fileNameRaw, extraFields, true);
      const kind = memberKind(entry, name);
      yield { name, kind, sizeBytes: uncompressedSize, content: () => content(handle, zip, entry, name, tally) };
    }
  } finally {
    zip.close();
    await handle.close();
  }
}

function memberKind(entry: Entry, name: string): Member["kind"] {
  const { generalPurposeBitFlag, compressionMethod, externalFileAttributes, uncompressedSize } = entry;
  const refuse = (why: string) => refusal(`the archive's entry ${shown(name)} is ${why}`);
  if (generalPurposeBitFlag & encryptionFlags) {
    throw refuse("encrypted");
  }
  if (compressionMethod !== 0 && compressionMethod !== deflated) {
    throw refuse(`packed by a method that is not supported (${compressionMethod})`);
  }
  // The upper half is the Unix mode; 0 where the zip comes from another system.
  const type = (externalFileAttributes >>> 16) & 0o170000;
  if (type !== 0 && type !== 0o100000 && type !== 0o040000) {
    throw refuse(type === 0o120000 ? "no file but a symlink" : "no file but a device or of an unknown kind");
  }
  const folder = name.endsWith("/");
  if (folder ? uncompressedSize > 0 : type === 0o040000) {
    throw refuse("both a file and a folder");
  }
  return folder ? "folder" : "file";
}

async function* content(
  handle: FileHandle,
  zip: ZipFile,
  entry: Entry,
  name: string,
  tally: Tally,
): AsyncGenerator<Buffer> {
  const local = await zip.readLocalFileHeaderPromise(entry);
  if (!sameHeader(entry, local)) {
    throw refusal(`the archive's entry ${shown(name)} has two headers that contradict each other`);
  }
  let size = 0;
  let sum = 0;
  for await (const chunk of unpacked(handle, entry, local.fileDataStart)) {
    tally.addBytes(chunk.length);
    size += chunk.length;
    sum = crc32(chunk, sum);
    if (size > entry.uncompressedSize) {
      break;
    }
    yield chunk;
  }
  if (size !== entry.uncompressedSize || sum !== entry.crc32) {
    throw refusal(`the archive's entry ${shown(name)} is damaged: its size or its checksum is wrong`);
  }
}

function unpacked(handle: FileHandle, entry: Entry, start: number): AsyncIterable<Buffer> {
  const packed = packedBytes(handle, start, entry.compressedSize);
  if (entry.compressionMethod !== deflated) {
    return packed;
  }
  // An error of either stream comes out of the last one.
  return pipeline(packed, createInflateRaw({ chunkSize: 128 * 1024 }), () => undefined);
}

async function* packedBytes(handle: FileHandle, start: number, size: number): AsyncGenerator<Buffer> {
  for (let done = 0; done < size; ) {
    const length = Math.min(size - done, 256 * 1024);
    const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(length), 0, length, start + done);
    if (bytesRead === 0) {
      throw refusal("the archive is cut short");
    }
    done += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

/** Other tools read the local header instead of the directory: both have to tell the same. */
function sameHeader(entry: Entry, local: LocalFileHeader): boolean {
  const described =
    local.generalPurposeBitFlag & sizesBehindFlag ||
    (local.crc32 === entry.crc32 &&
      sameSize(local.compressedSize, entry.compressedSize) &&
      sameSize(local.uncompressedSize, entry.uncompressedSize));
  return Boolean(
    described &&
      local.fileName.equals(entry.fileNameRaw) &&
      local.compressionMethod === entry.compressionMethod &&
      (local.generalPurposeBitFlag & encryptionFlags) === 0,
  );
}

function sameSize(local: number, central: number): boolean {
  return local === central || local === inZip64Field;
}
