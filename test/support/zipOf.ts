import { crc32, deflateRawSync } from "node:zlib";

/** One entry of a zip. Each given field is written unchanged, even if it is wrong. */
export interface ZipEntry {
  name: string | Buffer;
  content?: string | Buffer;
  /** 0 for stored, 8 for deflated (the default). With any other number, the content is written uncompressed. */
  method?: number;
  /** The general purpose flags of the entry. By default, they mark the name as UTF-8. */
  flags?: number;
  /** The Unix mode with the bits of the file type, or 0 as in zips from other systems. Default: a regular file. */
  mode?: number;
  crc?: number;
  size?: number;
}

const utf8Flag = 0x800;

export function zipOf(entries: readonly ZipEntry[], comment = ""): Buffer {
  const data: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const entry of entries) {
    const { local, central } = recordsOf(entry, offset);
    data.push(local);
    directory.push(central);
    offset += local.length;
  }
  const directoryBytes = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(directoryBytes.length, 12);
  end.writeUInt32LE(offset, 16);
  end.writeUInt16LE(comment.length, 20);
  return Buffer.concat([...data, directoryBytes, end, Buffer.from(comment)]);
}

function recordsOf(entry: ZipEntry, offset: number): { local: Buffer; central: Buffer } {
  const { method = 8, flags = utf8Flag, mode = 0o100644 } = entry;
  const content = Buffer.from(entry.content ?? "");
  const packed = method === 8 ? deflateRawSync(content) : content;
  const { crc = crc32(content), size = content.length } = entry;
  const name = Buffer.from(entry.name as string);
  const common = Buffer.alloc(26);
  common.writeUInt16LE(20, 0);
  common.writeUInt16LE(flags, 2);
  common.writeUInt16LE(method, 4);
  common.writeUInt32LE(crc, 10);
  common.writeUInt32LE(packed.length, 14);
  common.writeUInt32LE(size, 18);
  common.writeUInt16LE(name.length, 22);
  const local = Buffer.concat([Buffer.from("PK\x03\x04"), common, name, packed]);
  const attributes = Buffer.alloc(14);
  attributes.writeUInt32LE((mode << 16) >>> 0, 6);
  attributes.writeUInt32LE(offset, 10);
  const madeByUnix = Buffer.from([20, 3]);
  const central = Buffer.concat([Buffer.from("PK\x01\x02"), madeByUnix, common, attributes, name]);
  return { local, central };
}
