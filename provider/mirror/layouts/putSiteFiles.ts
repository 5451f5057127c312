import { extname } from "node:path";
import { buffer } from "node:stream/consumers";
import { contentType } from "mime-types";
import type { FileOrObjectStore } from "../../storage/store";
import { singleChunk } from "../../storage/textFile";
import { interruptionError } from "../../support/abort";
import { TaskPool } from "../../support/taskPool";
import type { ArchiveFormat } from "../archive/format";
import { readArchive } from "../archive/readArchive";
import { isPage } from "./fileNames";

/** In bytes. Up to this size, a file is read into memory. Several such files can be sent at the same time. */
const maxBufferedFileBytes = 1024 ** 2;
const filesAtOnce = 8;

/** Caches must revalidate a page at each request, and may keep other files for five minutes. */
const cacheOfPages = "no-cache";
const cacheOfOthers = "public, max-age=300";

/** Writes the assets first, then the pages, and last the site's index page. */
export async function putSiteFiles(
  { file, format, pathOf }: { file: string; format: ArchiveFormat; pathOf(archived: string): string },
  store: FileOrObjectStore,
  signal: AbortSignal,
  onFiles: (count: number) => void,
): Promise<Map<string, string>> {
  const published = new Map<string, string>();

  async function put(path: string, sizeBytes: number, content: AsyncIterable<Buffer>): Promise<void> {
    const type = contentType(extname(path)) || "application/octet-stream";
    const headers = { contentType: type, cacheControl: isPage(path) ? cacheOfPages : cacheOfOthers };
    const { revision } = await store.put(path, content, { ...headers, expectedBytes: sizeBytes, signal });
    published.set(path, revision);
    onFiles(published.size);
  }

  for (const turn of [0, 1, 2]) {
    const puts = new TaskPool(filesAtOnce);
    try {
      for await (const { path: archived, sizeBytes, content } of readArchive(file, format)) {
        const path = pathOf(archived);
        if (turnOf(path) !== turn) {
          continue;
        }
        if (signal.aborted) {
          throw interruptionError(signal);
        }
        if (sizeBytes > maxBufferedFileBytes) {
          await put(path, sizeBytes, content);
        } else {
          const bytes = await buffer(content);
          await puts.add(() => put(path, sizeBytes, singleChunk(bytes)));
        }
      }
    } finally {
      await puts.drain();
    }
  }
  return published;
}

function turnOf(path: string): number {
  return path === "index.html" ? 2 : isPage(path) ? 1 : 0;
}
