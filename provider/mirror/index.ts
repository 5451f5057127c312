/*
 * What a BundleMirror needs for a transfer or a look at a destination. It loads libraries for requests and archives, so it
 * is itself loaded only then.
 */
export { archiveLayout } from "./layouts/archiveLayout";
export { PublicationStopped, siteLayout } from "./layouts/siteLayout";
export { openStore } from "./stores/openStore";
export { Download } from "./transfer/download";
