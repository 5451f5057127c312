import type { Destination } from "../storage/destination";
import { openStore, type StoreOptions } from "../storage/openStore";
import type { Store } from "../storage/store";
import { archiveLayout } from "./layouts/archiveLayout";
import type { LayoutName } from "./layouts/fileNames";
import { imageLayout } from "./layouts/imageLayout";
import type { OpenMirror } from "./layouts/layout";
import { siteLayout } from "./layouts/siteLayout";

/** @throws DestinationError if a package that the store needs is not installed. */
export function openMirror(destination: Destination, layout: LayoutName, options: StoreOptions): OpenMirror {
  const store = openStore(destination, options);
  return "tags" in store ? imageLayout(layout, store) : mirrorIn(store, layout);
}

export function mirrorIn(store: Store, layout: LayoutName): OpenMirror {
  return layout === "site" ? siteLayout(store) : archiveLayout(store);
}
