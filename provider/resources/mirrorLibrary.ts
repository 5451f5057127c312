export type MirrorLibrary = typeof import("../mirror/index");

/** Loads the code of mirrors only when it is needed, because that code loads libraries for requests and archives. */
export function loadMirrorLibrary(): Promise<MirrorLibrary> {
  return import("../mirror/index.js");
}
