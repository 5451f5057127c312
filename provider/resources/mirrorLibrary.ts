export type MirrorLibrary = typeof import("../mirror/index");

/** Loads the library at its first use, because it loads other libraries for requests and archives. */
export function loadMirrorLibrary(): Promise<MirrorLibrary> {
  return import("../mirror/index.js");
}
