import { digestAt } from "../../storage/objectDigest";
import type { Store } from "../../storage/store";
import { TaskPool } from "../../support/taskPool";
import type { ArchivedFile } from "../archive/readArchive";
import { siteManifestName } from "./fileNames";
import { filesOfOthersError, maxNamedFiles } from "./mirrorOwner";
import { conflictsWith } from "./pathConflicts";
import { type Existing, type FilesPlace, isInState } from "./publication";

const looksAtOnce = 8;

/**
 * The last check before the first file is written. A file that already has the new content is taken over.
 * @param own the existing paths that this mirror may overwrite.
 * @throws DestinationError if a file of others would be overwritten, or conflicts with a folder, or if the first
 * publication finds files of others beside the site.
 */
export async function requireNoConflicts(
  files: readonly ArchivedFile[],
  own: readonly string[],
  { manifest }: Existing,
  place: FilesPlace,
): Promise<void> {
  const { store, owner } = place;
  const written = new Map(files.map((file) => [file.path, file]));
  const conflicts = conflictsWith([...written.keys(), siteManifestName]);
  const mine = new Set([...own, ...(manifest || isInState(place) ? [siteManifestName] : [])]);
  const mayStay = (name: string) => isInState(place) || owner.saved?.files.includes(name);
  const obstacles: string[] = [];
  const looks = new TaskPool(looksAtOnce);
  for await (const name of store.list()) {
    if (!mine.has(name) && (conflicts(name) || !mayStay(name))) {
      const file = written.get(name);
      await looks.add(async () => {
        if (file === undefined || !(await isThere(file, store))) {
          obstacles.push(name);
        }
      });
    }
    // One name more than the error shows, so that the error says that there are others.
    if (obstacles.length > maxNamedFiles) {
      break;
    }
  }
  await looks.drain();
  if (obstacles.length > 0) {
    throw filesOfOthersError(obstacles, "give an empty folder or prefix, or move these files away");
  }
}

async function isThere({ path, sizeBytes, sha256 }: ArchivedFile, store: Store): Promise<boolean> {
  const found = (await store.stat([path])).get(path);
  return found?.sizeBytes === sizeBytes && (await digestAt(store, path))?.sha256 === sha256;
}
