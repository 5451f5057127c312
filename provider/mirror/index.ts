/*
 * The code that a BundleMirror needs to transfer a bundle or to examine a destination. It loads libraries for requests
 * and archives, so the provider loads this file only when a mirror needs it.
 */
export { openStore } from "../storage/destination";
export { archivedJobs } from "./archivedJobs";
export { mirrorIn } from "./mirrorIn";
export { openDownload } from "./transfer/download";
