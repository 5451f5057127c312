import type { ImageStore } from "../storage/imageStore";
import type { Store } from "../storage/store";
import { archiveLayout } from "./layouts/archiveLayout";
import type { LayoutName } from "./layouts/fileNames";
import { imageLayout } from "./layouts/imageLayout";
import type { OpenMirror } from "./layouts/layout";
import { siteLayout } from "./layouts/siteLayout";

export function mirrorIn(store: Store | ImageStore, layout: LayoutName): OpenMirror {
  if ("tags" in store) {
    return imageLayout(layout, store);
  }
  return layout === "site" ? siteLayout(store) : archiveLayout(store);
}
