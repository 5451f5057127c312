import { quoted } from "../archive/error";
import type { ArchiveFormat } from "../archive/format";
import { type ArchivedFile, type ArchiveEntry, readArchive, verifyArchive } from "../archive/readArchive";
import type { Source } from "../transfer/source";

/**
 * Returns the folder around the whole site in an archive, with a slash at its end; empty if there is none. Every file
 * lies in this one folder, and an `index.html` directly in it. The folder is no part of the site.
 */
export function folderAround(files: readonly { path: string }[]): string {
  const [first] = files;
  const folder = first?.path.slice(0, first.path.indexOf("/") + 1) ?? "";
  return files.every(({ path }) => path.startsWith(folder)) && files.some(({ path }) => path === `${folder}index.html`)
    ? folder
    : "";
}

export function tellFolder({ info }: Source, folder: string): void {
  if (folder !== "") {
    info(
      `the whole site is in the folder ${quoted(folder.slice(0, -1))} of the archive: it is published without that folder`,
    );
  }
}

export interface VerifiedSite {
  folder: string;
  files: ArchivedFile[];
}

export async function verifySite(file: string, format: ArchiveFormat, signal: AbortSignal): Promise<VerifiedSite> {
  const files = await verifyArchive(file, format, undefined, signal);
  const folder = folderAround(files);
  return { folder, files: withoutFolder(files, folder) };
}

export async function* readSite(file: string, format: ArchiveFormat, folder: string): AsyncGenerator<ArchiveEntry> {
  for await (const entry of readArchive(file, format)) {
    yield { ...entry, path: entry.path.slice(folder.length) };
  }
}

export function withoutFolder<T extends { path: string }>(files: readonly T[], folder: string): T[] {
  return files.map((file) => ({ ...file, path: file.path.slice(folder.length) }));
}
