/*
 * What a BundleMirror needs once it does something. It loads libraries for requests and archives, and is itself loaded
 * only then.
 */
export { archiveLayout } from "./layouts/archiveLayout";
export { PublicationStopped, siteLayout } from "./layouts/siteLayout";
export { openStore } from "./stores/openStore";
export { Download } from "./transfer/download";
