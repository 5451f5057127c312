import { createHash } from "node:crypto";

/** The numbers that mark a segment and a signature among the load commands. */
const [segmentCommand, signatureCommand] = [0x19, 0x1d];
/** Each hash covers this many bytes, also on Apple silicon, which has larger memory pages. */
const hashedPage = 4_096;
const memoryPage = 0x4000;
const [headerSize, superBlobHeader, directoryHeader, hashSize] = [32, 20, 88, 32];

/** Signs a macOS executable ad hoc, because Apple silicon runs no unsigned executable. This also works on Linux. */
export function signedAdHoc(content: Buffer, identifier: string): Buffer {
  const offset = Math.ceil((signatureOf(content)?.offset ?? content.length) / 16) * 16;
  const size = superBlobHeader + directoryHeader + identifier.length + 1 + Math.ceil(offset / hashedPage) * hashSize;
  const signed = Buffer.alloc(offset + size);
  content.copy(signed, 0, 0, Math.min(offset, content.length));
  placeSignature(signed, offset, size);
  writeSignature(signed.subarray(offset), signed.subarray(0, offset), identifier);
  return signed;
}

export function signatureOf(content: Buffer): { offset: number; size: number } | undefined {
  const at = commandAt(content, (kind) => kind === signatureCommand);
  return at === undefined ? undefined : { offset: content.readUInt32LE(at + 8), size: content.readUInt32LE(at + 12) };
}

function placeSignature(content: Buffer, offset: number, size: number): void {
  const at = commandAt(content, (kind) => kind === signatureCommand) ?? addCommand(content);
  content.writeUInt32LE(offset, at + 8);
  content.writeUInt32LE(size, at + 12);
  // The last segment contains the signature, so the size of this segment must include it.
  const segment = segmentAt(content, "__LINKEDIT");
  const fileSize = offset + size - Number(content.readBigUInt64LE(segment + 40));
  content.writeBigUInt64LE(BigInt(Math.ceil(fileSize / memoryPage) * memoryPage), segment + 32);
  content.writeBigUInt64LE(BigInt(fileSize), segment + 48);
}

/** There is space for the command, because Node.js has removed the command of the earlier signature. */
function addCommand(content: Buffer): number {
  const used = content.readUInt32LE(20);
  content.writeUInt32LE(content.readUInt32LE(16) + 1, 16);
  content.writeUInt32LE(used + 16, 20);
  content.writeUInt32LE(signatureCommand, headerSize + used);
  content.writeUInt32LE(16, headerSize + used + 4);
  return headerSize + used;
}

function segmentAt(content: Buffer, name: string): number {
  const at = commandAt(
    content,
    (kind, place) =>
      kind === segmentCommand && content.toString("latin1", place + 8, place + 24).startsWith(`${name}\0`),
  );
  if (at === undefined) {
    throw new Error(`the executable has no segment ${name}`);
  }
  return at;
}

/** Returns the offset of the first load command that `isWanted` accepts. */
function commandAt(content: Buffer, isWanted: (kind: number, at: number) => boolean): number | undefined {
  if (content.readUInt32LE(0) !== 0xfeedfacf) {
    throw new Error("this is no executable of macOS for one processor");
  }
  let at = headerSize;
  for (let left = content.readUInt32LE(16); left > 0; left--) {
    if (isWanted(content.readUInt32LE(at), at)) {
      return at;
    }
    at += content.readUInt32LE(at + 4);
  }
  return undefined;
}

/** Writes the signature. Its numbers are big-endian. The fields follow Apple's `cs_blobs.h`. */
function writeSignature(blob: Buffer, content: Buffer, identifier: string): void {
  const text = segmentAt(content, "__TEXT");
  const hashOffset = directoryHeader + identifier.length + 1;
  const pages = Math.ceil(content.length / hashedPage);
  // The signature contains a single blob: the code directory.
  writeNumbers(blob, [0xfade0cc0, blob.length, 1, 0, superBlobHeader]);
  const directory = blob.subarray(superBlobHeader);
  const [version, adHoc, specialSlots] = [0x20400, 0x2, 0];
  const fields = [version, adHoc, hashOffset, directoryHeader, specialSlots, pages, content.length];
  writeNumbers(directory, [0xfade0c02, directory.length, ...fields]);
  // The numbers are the length of a hash, its type (SHA-256), and the page size as a power of two.
  directory.set([hashSize, 2, 0, Math.log2(hashedPage)], 36);
  directory.writeBigUInt64BE(content.readBigUInt64LE(text + 40), 64);
  directory.writeBigUInt64BE(content.readBigUInt64LE(text + 48), 72);
  // The flag marks the executable as a main program, and not a library.
  directory.writeBigUInt64BE(1n, 80);
  directory.write(identifier, directoryHeader, "latin1");
  for (let page = 0; page < pages; page++) {
    const hash = createHash("sha256").update(content.subarray(page * hashedPage, (page + 1) * hashedPage));
    directory.set(hash.digest(), hashOffset + page * hashSize);
  }
}

function writeNumbers(target: Buffer, values: readonly number[]): void {
  for (const [index, value] of values.entries()) {
    target.writeUInt32BE(value, index * 4);
  }
}
