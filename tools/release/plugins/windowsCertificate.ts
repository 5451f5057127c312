/** An executable's header has a list of data directories. This is the index of the directory for certificates. */
const certificateEntry = 4;
const signatureSize = 4 + 20;

/** The signature belongs to the original Node.js executable, and is no longer valid. */
export function withoutCertificate(content: Buffer): Buffer {
  const cleared = Buffer.from(content);
  cleared.fill(0, certificateAt(cleared), certificateAt(cleared) + 8);
  return cleared;
}

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
