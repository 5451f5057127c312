import { createHash } from "node:crypto";
import { readContentFiles } from "./content";
import { RenderedSite } from "./renderedSite";

/** Makes a new site when the content of the folder has changed. */
export class RenderedSiteCache {
  #hash = "";
  #site = new RenderedSite([]);

  load(folder: string | undefined): RenderedSite {
    const files = readContentFiles(folder);
    const hash = createHash("sha256");
    // Without the lengths, different paths and contents could give the same bytes.
    for (const { path, bytes } of files) {
      hash.update(`${path.length}:${path}${bytes.length}:`).update(bytes);
    }
    const found = hash.digest("hex");
    if (found !== this.#hash) {
      this.#hash = found;
      this.#site = new RenderedSite(files);
    }
    return this.#site;
  }
}
