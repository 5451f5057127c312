import type { ImageStore } from "../storage/imageStore";
import type { FileOrObjectStore } from "../storage/store";
import { ArchiveMirror } from "./layouts/archiveMirror";
import type { LayoutName } from "./layouts/fileNames";
import { ImageMirror } from "./layouts/imageMirror";
import type { Mirror } from "./layouts/mirror";
import type { MirrorOwner } from "./layouts/mirrorOwner";
import { SiteMirror } from "./layouts/siteMirror";

/** This file loads large libraries, so the provider loads it only when a mirror needs it. */
export { openStore } from "../storage/destination";
export { ResumableDownload } from "./transfer/resumableDownload";

export function createMirror(store: FileOrObjectStore | ImageStore, layout: LayoutName, owner: MirrorOwner): Mirror {
  if ("putBlob" in store) {
    return new ImageMirror(store, owner, layout);
  }
  return layout === "site" ? new SiteMirror(store, owner) : new ArchiveMirror(store, owner);
}
