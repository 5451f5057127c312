import { type FileHandle, open } from "node:fs/promises";
import type { ArchiveFormat } from "../archive/format";
import { readArchive } from "../archive/readArchive";
import { type TarEntry, writeTar } from "../archive/writeTar";
import { withTemporaryFile } from "../transfer/temporaryFile";
import { applyOuterFolderRule, type OuterFolderDecision, type SiteSource } from "./outerFolder";
import { PageLinkScanner } from "./pageLinks";
import { foldersAround } from "./pathConflicts";

const readBytes = 256 * 1024;

interface SpooledFile {
  path: string;
  offset: number;
  sizeBytes: number;
}

/**
 * The whole archive is read and checked before `use` gets the first byte. The layer depends only on the site's paths
 * and contents, and not on the archive's order, times and compression.
 */
export function withSiteLayer<T>(
  file: string,
  format: ArchiveFormat,
  source: SiteSource,
  signal: AbortSignal,
  use: (tar: () => AsyncIterable<Buffer>, site: { files: number; outerFolder: OuterFolderDecision }) => Promise<T>,
): Promise<T> {
  const files: SpooledFile[] = [];
  const links = new PageLinkScanner();
  async function* contents(): AsyncGenerator<Buffer> {
    let offset = 0;
    for await (const { path, sizeBytes, content } of readArchive(file, format, undefined, signal)) {
      files.push({ path, offset, sizeBytes });
      offset += sizeBytes;
      yield* links.read(path, content);
    }
  }
  // The layer needs the files in another order than the archive, so a temporary file stores them.
  return withTemporaryFile(contents(), undefined, async (spool) => {
    const site = applyOuterFolderRule(files, links, source);
    const handle = await open(spool);
    try {
      const tar = () => writeTar(tarEntriesOf(site.files, handle));
      return await use(tar, { files: files.length, outerFolder: site.outerFolder });
    } finally {
      await handle.close();
    }
  });
}

function tarEntriesOf(files: readonly SpooledFile[], spool: FileHandle): TarEntry[] {
  const folders = new Set(files.flatMap(({ path }) => foldersAround(path)));
  const entries = [
    ...[...folders].map((path) => ({ path: `${path}/`, sizeBytes: 0, content: () => slice(spool, 0, 0) })),
    ...files.map(({ path, offset, sizeBytes }) => ({
      path,
      sizeBytes,
      content: () => slice(spool, offset, sizeBytes),
    })),
  ];
  return entries.sort((a, b) => (a.path < b.path ? -1 : 1));
}

async function* slice(spool: FileHandle, offset: number, sizeBytes: number): AsyncGenerator<Buffer> {
  for (let read = 0; read < sizeBytes; ) {
    const buffer = Buffer.allocUnsafe(Math.min(readBytes, sizeBytes - read));
    const { bytesRead } = await spool.read(buffer, 0, buffer.length, offset + read);
    if (bytesRead === 0) {
      throw new Error("the temporary file was cut");
    }
    read += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}
