import { archiveError, quoteForMessage } from "./archiveError";

/**
 * Returns the same key for two paths if at least one file system treats them as the same path. The key ignores case,
 * Unicode normalisation and invisible characters.
 */
export function toPathCollisionKey(path: string): string {
  const visible = path.replace(/\p{Default_Ignorable_Code_Point}/gu, "");
  return visible.normalize("NFC").toLowerCase().toUpperCase().normalize("NFC");
}

export class DuplicatePathCheck {
  readonly #files = new Map<string, string>();
  readonly #folders = new Set<string>();

  addFile(path: string): void {
    const key = toPathCollisionKey(path);
    this.#refuseFile(path, key);
    if (this.#folders.has(key)) {
      throw archiveError(`the archive has ${quoteForMessage(path)} both as a file and as a folder`);
    }
    this.#files.set(key, path);
    this.#addFolders(path, parentOf(key));
  }

  addFolder(path: string): void {
    this.#addFolders(path, toPathCollisionKey(path));
  }

  #addFolders(path: string, folder: string): void {
    // The loop ends at a known folder, because the parents of a known folder are known, too.
    for (let key = folder; key !== "" && !this.#folders.has(key); key = parentOf(key)) {
      this.#refuseFile(path, key);
      this.#folders.add(key);
    }
  }

  #refuseFile(path: string, key: string): void {
    const file = this.#files.get(key);
    if (file !== undefined) {
      throw archiveError(
        `the archive's entries ${quoteForMessage(file)} and ${quoteForMessage(path)} have names that some file systems treat as equal`,
      );
    }
  }
}

function parentOf(key: string): string {
  return key.slice(0, Math.max(0, key.lastIndexOf("/")));
}
