/** `download` is any request to a signed link, and `other` is a request without a route. */
export const platformOperations = [
  "startExport",
  "getExport",
  "createBundle",
  "sendMessage",
  "getAgentJob",
  "download",
  "other",
] as const;

export type PlatformOperation = (typeof platformOperations)[number];
