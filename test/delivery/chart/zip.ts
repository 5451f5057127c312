import { crc32, deflateRawSync } from "node:zlib";

/** An entry of an archive; `link` makes it a symbolic link to its content. */
export interface ZipEntry {
  name: string;
  content: string;
  link?: true;
  /** What its headers say of its size, in place of the truth. */
  declaredSize?: number;
}

/** A .zip as no honest tool would write it: entries with any name, in this order. */
export function zip(entries: readonly ZipEntry[]): Buffer {
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const entry of entries) {
    const name = Buffer.from(entry.name);
    const content = Buffer.from(entry.content);
    // As Info-ZIP does: BusyBox knows no other links.
    const packed = entry.link ? content : deflateRawSync(content);
    const shared = sharedHeader(entry, packed, name);
    const file = Buffer.concat([Buffer.from("PK\x03\x04"), shared, name, packed]);
    directory.push(Buffer.from("PK\x01\x02"), u16(0x031e), shared, directoryTail(entry, offset), name);
    files.push(file);
    offset += file.length;
  }
  const listed = Buffer.concat(directory);
  const counts = [u16(0), u16(0), u16(entries.length), u16(entries.length)];
  const end = Buffer.concat([Buffer.from("PK\x05\x06"), ...counts, u32(listed.length), u32(offset), u16(0)]);
  return Buffer.concat([...files, listed, end]);
}

/** From the version that is needed to the length of the extra field. */
function sharedHeader({ content, link, declaredSize }: ZipEntry, packed: Buffer, name: Buffer): Buffer {
  // The time is 1980-01-01 00:00.
  const head = [u16(20), u16(0x0800), u16(link ? 0 : 8), u16(0), u16(0x21), u32(crc32(content))];
  return Buffer.concat([
    ...head,
    u32(packed.length),
    u32(declaredSize ?? Buffer.byteLength(content)),
    u16(name.length),
    u16(0),
  ]);
}

function directoryTail({ link }: ZipEntry, offset: number): Buffer {
  const mode = link ? 0o120777 : 0o100644;
  return Buffer.concat([u16(0), u16(0), u16(0), u32(mode * 0x10000), u32(offset)]);
}

function u16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
