import { buffer } from "node:stream/consumers";
import { gunzipSync, gzipSync } from "node:zlib";
import { extract, type Header, pack } from "tar-stream";

/** By default, an entry is a file with mode 644. */
export type PackedEntry = Partial<Header> & { name: string; content?: string };

export async function tarGzOf(entries: readonly PackedEntry[]): Promise<Buffer> {
  const tar = pack();
  const packed = buffer(tar);
  for (const { content = "", ...header } of entries) {
    const size = header.type === undefined || header.type === "file" ? { size: Buffer.byteLength(content) } : {};
    tar.entry({ mtime: new Date(0), ...size, ...header }, content);
  }
  tar.finalize();
  return gzipSync(await packed);
}

export async function filesOf(archive: Buffer): Promise<Map<string, string>> {
  const reader = extract();
  const files: [string, string][] = [];
  reader.end(gunzipSync(archive));
  for await (const entry of reader) {
    const content = await buffer(entry);
    files.push([entry.header.name, content.toString()]);
  }
  return new Map(files.sort(([a], [b]) => (a < b ? -1 : 1)));
}
