import { extname } from "node:path";
import { buffer } from "node:stream/consumers";
import { contentType } from "mime-types";
import { InterruptedError } from "../../support/errors";
import { TaskPool } from "../../support/taskPool";
import type { ArchiveFormat } from "../archive/format";
import { type ArchiveEntry, readArchive } from "../archive/readArchive";
import type { Store } from "../stores/store";
import { singleChunk } from "../stores/textFile";
import { measured } from "../transfer/measure";
import type { SiteFile } from "./siteManifest";

/** A file up to this size is held in memory, so that several files can be sent at the same time; bytes. */
const maxBufferedFileBytes = 1024 ** 2;
const filesAtOnce = 8;

/** Caches revalidate pages each time, and may keep other files for five minutes. */
const cacheOfPages = "no-cache";
const cacheOfOthers = "public, max-age=300";

export interface Publication {
  /** The path of the archive. */
  file: string;
  format: ArchiveFormat;
  store: Store;
  signal: AbortSignal;
  /** Called with the number of files so far. */
  onFiles(count: number): void;
}

/** Writes the files of an archive to a store: first assets, then pages, and the site's index page last. */
export async function putSiteFiles({ file, format, store, signal, onFiles }: Publication): Promise<SiteFile[]> {
  const published: SiteFile[] = [];

  async function put(path: string, sizeBytes: number, content: AsyncIterable<Buffer>): Promise<void> {
    let sha256 = "";
    const whole = measured(content, {
      onWhole: (measure) => {
        sha256 = measure.sha256;
      },
    });
    const headers = { contentType: typeOf(path), cacheControl: isPage(path) ? cacheOfPages : cacheOfOthers };
    const { revision } = await store.put(path, whole, { ...headers, expectedBytes: sizeBytes, signal });
    onFiles(published.push({ path, sizeBytes, sha256, revision }));
  }

  for (const turn of [0, 1, 2]) {
    const puts = new TaskPool(filesAtOnce);
    try {
      for await (const { path, sizeBytes, stream } of entriesOf(file, format, turn)) {
        if (signal.aborted) {
          throw new InterruptedError();
        }
        if (sizeBytes > maxBufferedFileBytes) {
          await put(path, sizeBytes, stream);
        } else {
          const bytes = await buffer(stream);
          await puts.add(() => put(path, sizeBytes, singleChunk(bytes)));
        }
      }
    } finally {
      await puts.drain();
    }
  }
  return published;
}

async function* entriesOf(file: string, format: ArchiveFormat, turn: number): AsyncGenerator<ArchiveEntry> {
  for await (const entry of readArchive(file, format)) {
    if (passOf(entry.path) === turn) {
      yield entry;
    }
  }
}

function passOf(path: string): number {
  return path === "index.html" ? 2 : isPage(path) ? 1 : 0;
}

function isPage(path: string): boolean {
  return /\.html?$/i.test(path);
}

function typeOf(path: string): string {
  return contentType(extname(path)) || "application/octet-stream";
}
