import { buffer } from "node:stream/consumers";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { pack } from "tar-stream";

/** Packs files into a .tar.gz. The same files give the same bytes: sorted, without owner, dated to the epoch. */
export async function packArchive(files: ReadonlyMap<string, string | Buffer>): Promise<Buffer> {
  const tar = pack();
  const packed = buffer(tar);
  for (const [name, content] of [...files].sort(([a], [b]) => (a < b ? -1 : 1))) {
    tar.entry({ name, mtime: new Date(0), mode: 0o644 }, content);
  }
  tar.finalize();
  return promisify(gzip)(await packed, { level: 9 });
}
