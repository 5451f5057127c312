import { createHash } from "node:crypto";
import { readContent } from "./content";
import { Site } from "./site";

/** Keeps the latest site of a folder, as long as its content stays the same. */
export class SiteCache {
  #hash = "";
  #site = new Site([]);

  load(folder: string | undefined): Site {
    const files = readContent(folder);
    const hash = createHash("sha256");
    // The lengths keep the border between path and content clear.
    for (const { path, bytes } of files) {
      hash.update(`${path.length}:${path}${bytes.length}:`).update(bytes);
    }
    const found = hash.digest("hex");
    if (found !== this.#hash) {
      this.#hash = found;
      this.#site = new Site(files);
    }
    return this.#site;
  }
}
