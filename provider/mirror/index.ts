/*
 * What a BundleMirror needs once it does something. It loads libraries for requests and archives, and is itself loaded
 * only then.
 */
export { archiveLayout } from "./archive";
export { Download } from "./download";
export { openStore } from "./openStore";
export { PublicationStopped, siteLayout } from "./site";
