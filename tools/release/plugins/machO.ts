import { createHash } from "node:crypto";

const headerSize = 32;
const segmentCommand = 0x19;
const signatureCommand = 0x1d;
/** The page size of the hashes, also for Apple silicon, whose memory has larger pages. */
const hashedPage = 4_096;
const memoryPage = 0x4000;

/** A load command: its kind, and its place in the file. */
interface Command {
  kind: number;
  at: number;
  size: number;
}

interface Segment {
  name: string;
  at: number;
  fileOffset: number;
  fileSize: number;
}

/** The place of a macOS executable's signature. */
export interface SignaturePlace {
  offset: number;
  size: number;
}

/**
 * Signs a macOS executable ad hoc: with hashes of its pages, and without an identity. Apple silicon runs nothing
 * unsigned.
 * @param identifier the executable's name in the signature.
 */
export function signedAdHoc(content: Buffer, identifier: string): Buffer {
  const offset = Math.ceil((signatureOf(content)?.offset ?? content.length) / 16) * 16;
  const size = directorySize(identifier, offset) + superBlobHeader;
  const signed = Buffer.alloc(offset + size);
  content.copy(signed, 0, 0, Math.min(offset, content.length));
  placeSignature(signed, { offset, size });
  signature(signed.subarray(0, offset), identifier).copy(signed, offset);
  return signed;
}

/** @returns undefined without a signature. */
export function signatureOf(content: Buffer): SignaturePlace | undefined {
  const command = commands(content).find(({ kind }) => kind === signatureCommand);
  return command && { offset: content.readUInt32LE(command.at + 8), size: content.readUInt32LE(command.at + 12) };
}

function placeSignature(content: Buffer, { offset, size }: SignaturePlace): void {
  const known = commands(content);
  const command = known.find(({ kind }) => kind === signatureCommand) ?? addCommand(content, known);
  content.writeUInt32LE(offset, command.at + 8);
  content.writeUInt32LE(size, command.at + 12);
  // The last segment holds the signature.
  const segment = segmentNamed(content, "__LINKEDIT");
  const fileSize = offset + size - segment.fileOffset;
  content.writeBigUInt64LE(BigInt(Math.ceil(fileSize / memoryPage) * memoryPage), segment.at + 32);
  content.writeBigUInt64LE(BigInt(fileSize), segment.at + 48);
}

function addCommand(content: Buffer, known: readonly Command[]): Command {
  const size = 16;
  const used = content.readUInt32LE(20);
  const command = { kind: signatureCommand, at: headerSize + used, size };
  if (command.at + size > firstSection(content, known)) {
    throw new Error("the header has no room for a signature");
  }
  content.writeUInt32LE(known.length + 1, 16);
  content.writeUInt32LE(used + size, 20);
  content.writeUInt32LE(command.kind, command.at);
  content.writeUInt32LE(size, command.at + 4);
  return command;
}

/** The place of the first bytes after the headers. */
function firstSection(content: Buffer, known: readonly Command[]): number {
  const offsets = known
    .filter(({ kind }) => kind === segmentCommand)
    .flatMap(({ at }) =>
      Array.from({ length: content.readUInt32LE(at + 64) }, (_, index) =>
        content.readUInt32LE(at + 72 + index * 80 + 48),
      ),
    );
  return Math.min(...offsets.filter((offset) => offset > 0));
}

function commands(content: Buffer): Command[] {
  if (content.readUInt32LE(0) !== 0xfeedfacf) {
    throw new Error("this is no executable of macOS for one processor");
  }
  const found: Command[] = [];
  let at = headerSize;
  for (let left = content.readUInt32LE(16); left > 0; left--) {
    const command = { kind: content.readUInt32LE(at), at, size: content.readUInt32LE(at + 4) };
    found.push(command);
    at += command.size;
  }
  return found;
}

function segmentNamed(content: Buffer, name: string): Segment {
  const segments = commands(content)
    .filter(({ kind }) => kind === segmentCommand)
    .map(({ at }) => ({
      name: content.toString("latin1", at + 8, at + 24).replace(/\0+$/, ""),
      at,
      fileOffset: Number(content.readBigUInt64LE(at + 40)),
      fileSize: Number(content.readBigUInt64LE(at + 48)),
    }));
  const segment = segments.find((each) => each.name === name);
  if (segment === undefined) {
    throw new Error(`the executable has no segment ${name}`);
  }
  return segment;
}

const superBlobHeader = 20;
const directoryHeader = 88;
const hashSize = 32;

function directorySize(identifier: string, signedBytes: number): number {
  return directoryHeader + identifier.length + 1 + Math.ceil(signedBytes / hashedPage) * hashSize;
}

/** The blobs of a signature are big-endian; the names are those of Apple's `cs_blobs.h`. */
function signature(content: Buffer, identifier: string): Buffer {
  const length = directorySize(identifier, content.length);
  const text = segmentNamed(content, "__TEXT");
  const hashOffset = directoryHeader + identifier.length + 1;
  const pages = Math.ceil(content.length / hashedPage);
  const blob = Buffer.alloc(superBlobHeader + length);
  // A single blob: the code directory.
  writeNumbers(blob, [0xfade0cc0, blob.length, 1, 0, superBlobHeader]);
  const directory = blob.subarray(superBlobHeader);
  const [version, adHoc, specialSlots] = [0x20400, 0x2, 0];
  const fields = [0xfade0c02, length, version, adHoc, hashOffset, directoryHeader, specialSlots, pages, content.length];
  writeNumbers(directory, fields);
  // SHA-256, and the page as a power of two.
  directory.set([hashSize, 2, 0, Math.log2(hashedPage)], 36);
  directory.writeBigUInt64BE(BigInt(text.fileOffset), 64);
  directory.writeBigUInt64BE(BigInt(text.fileSize), 72);
  // A main program, and no library.
  directory.writeBigUInt64BE(1n, 80);
  directory.write(identifier, directoryHeader, "latin1");
  for (let page = 0; page < pages; page++) {
    const hash = createHash("sha256").update(content.subarray(page * hashedPage, (page + 1) * hashedPage));
    directory.set(hash.digest(), hashOffset + page * hashSize);
  }
  return blob;
}

function writeNumbers(target: Buffer, values: readonly number[]): void {
  for (const [index, value] of values.entries()) {
    target.writeUInt32BE(value, index * 4);
  }
}
