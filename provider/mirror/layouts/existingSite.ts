import { digestAt } from "../../storage/objectDigest";
import type { Store } from "../../storage/store";
import { TaskPool } from "../../support/taskPool";
import type { ArchivedFile } from "../archive/readArchive";
import { siteListName } from "./fileNames";
import { filesOfOthersError, maxNamedFiles } from "./mirrorOwner";
import type { OwnedFiles } from "./ownedFiles";
import type { ExistingRecord } from "./ownedPlace";
import { conflictsWith } from "./pathConflicts";

const looksAtOnce = 8;

export const siteRemedy = "give an empty folder or prefix, or move these files away";

/**
 * Makes the last check before the first file is written. If an existing file already has the new content, the mirror
 * adopts it.
 * @param own the existing paths that this mirror may overwrite.
 * @throws DestinationError if the publication would overwrite a file of another owner, if such a file conflicts with a
 * folder, or if the first publication finds such files beside the site.
 */
export async function requireNoConflicts(
  files: readonly ArchivedFile[],
  own: readonly string[],
  { record }: ExistingRecord<unknown>,
  { store, owner, isInState }: OwnedFiles,
): Promise<void> {
  const written = new Map(files.map((file) => [file.path, file]));
  const conflicts = conflictsWith([...written.keys(), siteListName]);
  const mine = new Set([...own, ...(record || isInState ? [siteListName] : [])]);
  const mayStay = (name: string) => isInState || owner.saved?.files.includes(name);
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
    // The search ends when it has one name more than the error shows. The error can then report that there are more.
    if (obstacles.length > maxNamedFiles) {
      break;
    }
  }
  await looks.drain();
  if (obstacles.length > 0) {
    throw filesOfOthersError(obstacles, siteRemedy);
  }
}

async function isThere({ path, sizeBytes, sha256 }: ArchivedFile, store: Store): Promise<boolean> {
  const found = (await store.stat([path])).get(path);
  return found?.sizeBytes === sizeBytes && (await digestAt(store, path))?.sha256 === sha256;
}
