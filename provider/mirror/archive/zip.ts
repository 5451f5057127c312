import { isUtf8 } from "node:buffer";
import { open } from "node:fs/promises";
import { pipeline } from "node:stream";
import { crc32, createInflateRaw, inflateRawSync } from "node:zlib";
import type { Entry, LocalFileHeader, ZipFile } from "yauzl";
import { archiveError, quoted } from "./error";
import type { Member } from "./format";
import type { UnpackBudget } from "./limits";
import { WindowedFile, zipReader } from "./windowedFile";

const deflated = 8;
const utf8Flag = 0x800;
const encryptionFlags = 0x1 | 0x40 | 0x2000;
/** The flag of an entry whose sizes and checksum are after the file's data, not in its local header. */
const sizesBehindFlag = 0x8;
/** The length of the end record of the directory, in bytes. An empty zip has only this record and its comment. */
const endBytes = 22;
/** The size up to which a file is inflated in memory, in bytes. */
const smallBytes = 128 * 1024;
const inZip64Field = 0xffffffff;

/** Reads the members of a zip in the order of its directory. */
export async function* zipMembers(file: string, budget: UnpackBudget): AsyncGenerator<Member> {
  const { RandomAccessReader, fromRandomAccessReaderPromise, getFileNameLowLevel } = await import("yauzl");
  const handle = await open(file);
  try {
    const { size } = await handle.stat();
    const windowed = new WindowedFile(handle);
    const reader = zipReader(RandomAccessReader, windowed);
    // Names stay bytes here: the rules of this provider refuse bad names, and show them safely.
    const zip = await fromRandomAccessReaderPromise(reader, size, { decodeStrings: false });
    if (zip.entryCount === 0 && zip.fileSize > endBytes + zip.comment.length) {
      throw archiveError("the archive is cut short, or not a complete zip file");
    }
    for await (const entry of zip.eachEntry()) {
      const { generalPurposeBitFlag, fileNameRaw, extraFields, uncompressedSize } = entry;
      // Tools that run without a locale write UTF-8 without the flag.
      const flags = isUtf8(fileNameRaw) ? generalPurposeBitFlag | utf8Flag : generalPurposeBitFlag;
      const name = getFileNameLowLevel(flags, fileNameRaw, extraFields, true);
      const kind = memberKind(entry, name);
      yield { name, kind, sizeBytes: uncompressedSize, content: () => content(windowed, zip, entry, name, budget) };
    }
  } finally {
    await handle.close();
  }
}

function memberKind(entry: Entry, name: string): Member["kind"] {
  const { generalPurposeBitFlag, compressionMethod, externalFileAttributes, uncompressedSize } = entry;
  const refuse = (why: string) => archiveError(`the archive's entry ${quoted(name)} is ${why}`);
  if (generalPurposeBitFlag & encryptionFlags) {
    throw refuse("encrypted");
  }
  if (compressionMethod !== 0 && compressionMethod !== deflated) {
    throw refuse(`compressed with a method that is not supported (${compressionMethod})`);
  }
  // The upper half is the Unix mode; 0 if the zip was made on another system.
  const type = (externalFileAttributes >>> 16) & 0o170000;
  if (type !== 0 && type !== 0o100000 && type !== 0o040000) {
    throw refuse(type === 0o120000 ? "a symlink, not a file" : "a device or of an unknown kind, not a file");
  }
  const folder = name.endsWith("/");
  if (folder ? uncompressedSize > 0 : type === 0o040000) {
    throw refuse("both a file and a folder");
  }
  return folder ? "folder" : "file";
}

async function* content(
  file: WindowedFile,
  zip: ZipFile,
  entry: Entry,
  name: string,
  budget: UnpackBudget,
): AsyncGenerator<Buffer> {
  const local = await zip.readLocalFileHeaderPromise(entry);
  if (!sameHeader(entry, local)) {
    throw archiveError(`the archive's entry ${quoted(name)} has two headers that contradict each other`);
  }
  let size = 0;
  let sum = 0;
  for await (const chunk of unpacked(file, entry, local.fileDataStart)) {
    budget.addBytes(chunk.length);
    size += chunk.length;
    sum = crc32(chunk, sum);
    if (size > entry.uncompressedSize) {
      break;
    }
    yield chunk;
  }
  if (size !== entry.uncompressedSize || sum !== entry.crc32) {
    throw archiveError(`the archive's entry ${quoted(name)} is damaged: its size or its checksum is wrong`);
  }
}

function unpacked(file: WindowedFile, entry: Entry, start: number): AsyncIterable<Buffer> {
  const packed = file.chunks(start, entry.compressedSize);
  if (entry.compressionMethod !== deflated) {
    return packed;
  }
  if (entry.compressedSize <= smallBytes && entry.uncompressedSize <= smallBytes) {
    return inflatedInMemory(packed, entry.uncompressedSize);
  }
  // `pipeline` passes an error of either stream to the last stream.
  return pipeline(packed, createInflateRaw({ chunkSize: 128 * 1024 }), () => undefined);
}

/** Inflates a small file in memory. Most pages are small, and a stream for each page would take ten times as long. */
async function* inflatedInMemory(packed: AsyncIterable<Buffer>, size: number): AsyncGenerator<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of packed) {
    chunks.push(chunk);
  }
  yield inflateRawSync(Buffer.concat(chunks), { maxOutputLength: Math.max(1, size) });
}

/** Returns true if the local header agrees with the directory: other tools read the local header instead. */
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
