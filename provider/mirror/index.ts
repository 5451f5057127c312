/*
 * The code that a BundleMirror needs for a transfer, or to examine a destination. It loads libraries for requests and
 * archives, so it is itself loaded only then.
 */
export { openStore } from "../storage/openStore";
export { archivedJobs } from "./archivedJobs";
export { mirrorIn } from "./mirrorIn";
export { openDownload } from "./transfer/download";
