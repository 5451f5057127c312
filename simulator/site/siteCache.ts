import { createHash } from "node:crypto";
import { readContent } from "./content";
import { Site } from "./site";

/** Makes a new site when the content of the folder has changed. */
export class SiteCache {
  #hash = "";
  #site = new Site([]);

  load(folder: string | undefined): Site {
    const files = readContent(folder);
    const hash = createHash("sha256");
    // Without the lengths, different paths and contents could give the same bytes.
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
