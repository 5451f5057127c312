import { createHash } from "node:crypto";
import { type ContentFile, readContent } from "./content";
import { Site } from "./site";

/** Keeps the latest site of each folder, as long as its content stays the same. */
export class SiteCache {
  readonly #sites = new Map<string | undefined, { hash: string; site: Site }>();

  /**
   * The site of a folder as it is now.
   *
   * @param folder see {@link readContent}
   * @throws Error when the folder cannot be read
   */
  load(folder: string | undefined): Site {
    const files = readContent(folder);
    const hash = hashOf(files);
    const known = this.#sites.get(folder);
    if (known?.hash === hash) {
      return known.site;
    }
    const site = new Site(files);
    this.#sites.set(folder, { hash, site });
    return site;
  }
}

function hashOf(files: readonly ContentFile[]): string {
  const hash = createHash("sha256");
  // The lengths keep the border between path and content clear.
  for (const { path, bytes } of files) {
    hash.update(`${path.length}:${path}${bytes.length}:`).update(bytes);
  }
  return hash.digest("hex");
}
