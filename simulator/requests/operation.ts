/** Every operation; `download` is any request to a signed link, `other` whatever has no route. */
export const operations = [
  "startExport",
  "getExport",
  "createBundle",
  "sendMessage",
  "getAgentJob",
  "download",
  "other",
] as const;

export type PlatformOperation = (typeof operations)[number];
