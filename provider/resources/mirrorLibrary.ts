/** How the destination of a mirror is opened, and how a bundle comes there. */
export type MirrorLibrary = typeof import("../mirror/index");

/** It brings libraries for requests and archives along, so it is loaded only where a destination is used. */
export function loadMirrorLibrary(): Promise<MirrorLibrary> {
  return import("../mirror/index.js");
}
