/** Removes everything from a Linux executable that no segment loads: symbols and debug information. */
export function withoutSymbols(content: Buffer): Buffer {
  const [table, size, count] = [
    Number(content.readBigUInt64LE(32)),
    content.readUInt16LE(54),
    content.readUInt16LE(56),
  ];
  const ends = Array.from({ length: count }, (_, index) => {
    const segment = table + index * size;
    return Number(content.readBigUInt64LE(segment + 8) + content.readBigUInt64LE(segment + 32));
  });
  const loaded = Buffer.from(content.subarray(0, Math.max(table + count * size, ...ends)));
  // The table of sections: its place, its size, and the index of the section with the names.
  loaded.writeBigUInt64LE(0n, 40);
  loaded.writeUInt16LE(0, 60);
  loaded.writeUInt16LE(0, 62);
  return loaded;
}

/** The entry of the certificates among the data directories of a header. */
const certificateEntry = 4;
const signatureSize = 4 + 20;

/** Clears the reference to a Windows signature. It belongs to the original Node.js executable, and no longer fits. */
export function withoutCertificate(content: Buffer): Buffer {
  const cleared = Buffer.from(content);
  cleared.fill(0, certificateAt(cleared), certificateAt(cleared) + 8);
  return cleared;
}

/** The place and the size of the certificates, by the executable's own header. */
export function certificateOf(content: Buffer): { offset: number; size: number } {
  const entry = certificateAt(content);
  return { offset: content.readUInt32LE(entry), size: content.readUInt32LE(entry + 4) };
}

function certificateAt(content: Buffer): number {
  const header = content.readUInt32LE(0x3c);
  if (content.toString("latin1", header, header + 4) !== "PE\0\0") {
    throw new Error("this is no executable of Windows");
  }
  const optional = header + signatureSize;
  const directories = content.readUInt16LE(optional) === 0x20b ? 112 : 96;
  return optional + directories + certificateEntry * 8;
}
