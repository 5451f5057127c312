/** An operation of the platform; `download` is any request to a signed link, `other` whatever has no route. */
export type PlatformOperation =
  | "startExport"
  | "getExport"
  | "createBundle"
  | "sendMessage"
  | "getAgentJob"
  | "download"
  | "other";

/** Every operation. */
export const operations: readonly PlatformOperation[] = [
  "startExport",
  "getExport",
  "createBundle",
  "sendMessage",
  "getAgentJob",
  "download",
  "other",
];
