export type MirrorLibrary = typeof import("../mirror/index");

/** The code of mirrors loads large libraries, so it is loaded only when it is needed. */
export function loadMirrorLibrary(): Promise<MirrorLibrary> {
  return import("../mirror/index.js");
}
