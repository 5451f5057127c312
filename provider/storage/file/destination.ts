import { fileURLToPath } from "node:url";
import type { AddressParseFailure, DestinationScheme } from "../scheme";

export interface FileDestination {
  kind: "file";
  folder: string;
}

export const fileScheme: DestinationScheme<FileDestination> = {
  example: "file:///absolute/folder",
  holds: "files",
  credentials: "the permissions of this user apply",
  parse: ({ url, windows }) => {
    if (url.search) {
      return { problem: "must not contain a query: a folder has no parameters" };
    }
    if (windows) {
      return windowsFolder(url);
    }
    return url.pathname === "/"
      ? { problem: "names no folder: give one below /" }
      : { kind: "file", folder: fileURLToPath(url).replace(/(?<=[^/\\:])[/\\]$/, "") };
  },
};

function windowsFolder(url: URL): FileDestination | AddressParseFailure {
  const [, drive, path] = /^\/([a-z]:)(?:\/(.*))?$/i.exec(url.pathname) ?? [];
  if (drive === undefined) {
    return { problem: "names no drive: give file:///C:/folder" };
  }
  return path
    ? { kind: "file", folder: fileURLToPath(url, { windows: true }).replace(/\\$/, "") }
    : { problem: `names no folder: give one below ${drive}` };
}
