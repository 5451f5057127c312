/** Takes everything away from an executable of Linux that no segment of it loads: symbols and what debuggers read. */
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
  // The table of sections: its place, the number of its entries, and which of them has the names.
  loaded.writeBigUInt64LE(0n, 40);
  loaded.writeUInt16LE(0, 60);
  loaded.writeUInt16LE(0, 62);
  return loaded;
}
