import { pipeline } from "node:stream/promises";

export interface TarEntry {
  path: string;
  sizeBytes: number;
  content(): AsyncIterable<Buffer>;
}

const sameForAll = { mtime: new Date(0), uid: 0, gid: 0, uname: "", gname: "" };

/** For equal entries the bytes are equal, on every machine and at every time. */
export async function* writeTar(entries: Iterable<TarEntry>): AsyncGenerator<Buffer> {
  const { pack } = await import("tar-stream");
  const tar = pack();
  const writing = (async () => {
    for (const { path, sizeBytes, content } of entries) {
      const folder = path.endsWith("/");
      const kind = folder ? { type: "directory" as const, mode: 0o755 } : { type: "file" as const, mode: 0o644 };
      const header = { ...sameForAll, ...kind, name: path, size: sizeBytes };
      await pipeline(content(), tar.entry(header) as unknown as NodeJS.WritableStream);
    }
    tar.finalize();
  })();
  writing.catch((error: Error) => tar.destroy(error));
  try {
    yield* tar as AsyncIterable<Buffer>;
    await writing;
  } finally {
    tar.destroy();
  }
}
