import type { Destination } from "../storage/destination";
import { OciStore } from "../storage/oci/store";
import { OciLayoutStore } from "../storage/oci-layout/store";
import { openStore, type StoreOptions } from "../storage/openStore";
import type { Store } from "../storage/store";
import { archiveLayout } from "./layouts/archiveLayout";
import type { LayoutName } from "./layouts/fileNames";
import { imageLayout } from "./layouts/imageLayout";
import type { OpenMirror } from "./layouts/layout";
import { siteLayout } from "./layouts/siteLayout";

export function openMirror(destination: Destination, layout: LayoutName, options: StoreOptions): OpenMirror {
  if (destination.kind === "oci") {
    return imageLayout(layout, new OciStore(destination, options));
  }
  return destination.kind === "oci-layout"
    ? imageLayout(layout, new OciLayoutStore(destination, options.signal))
    : mirrorIn(openStore(destination, options), layout);
}

export function mirrorIn(store: Store, layout: LayoutName): OpenMirror {
  return layout === "site" ? siteLayout(store) : archiveLayout(store);
}
