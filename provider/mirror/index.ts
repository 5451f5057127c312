import type { ImageStore } from "../storage/imageStore";
import type { Store } from "../storage/store";
import type { LayoutName } from "./layouts/fileNames";
import { openArchiveMirror } from "./layouts/openArchiveMirror";
import type { OpenedMirror } from "./layouts/openedMirror";
import { openImageMirror } from "./layouts/openImageMirror";
import { openSiteMirror } from "./layouts/openSiteMirror";

/*
 * The code that a BundleMirror needs to transfer a bundle or to examine a destination. It loads libraries for requests
 * and archives, so the provider loads this file only when a mirror needs it.
 */
export { openStore } from "../storage/destination";
export { Download } from "./transfer/download";

export function openMirrorIn(store: Store | ImageStore, layout: LayoutName): OpenedMirror {
  if ("putBlob" in store) {
    return openImageMirror(layout, store);
  }
  return layout === "site" ? openSiteMirror(store) : openArchiveMirror(store);
}
