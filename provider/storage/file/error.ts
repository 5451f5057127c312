import { ownPropertyOf } from "../../support/ownPropertyOf";
import type { ExplainedStorageFault } from "../attempt";

const permissionRemedy = "give the user of this run write permission there";

const causes: Readonly<Record<string, readonly [cause: string, remedy: string]>> = {
  ENOSPC: ["the disk is full", "free some space there"],
  EDQUOT: ["the disk quota is used up", "free some space there"],
  EFBIG: ["the file system does not support files of this size", "use another file system"],
  EACCES: ["permission is denied", permissionRemedy],
  EPERM: ["the operation is not permitted", permissionRemedy],
  EROFS: ["the file system is read-only", "mount it for writing"],
  ENOTDIR: ["a file is in the place of a folder", "remove it"],
  EEXIST: ["a file is in the place of a folder", "remove it"],
  ELOOP: ["a symbolic link is in the place of a folder", "remove it"],
  EISDIR: ["a folder, a link or a device is in the place of a file", "remove it"],
  ENOENT: ["it does not exist and cannot be created", "create it"],
  EIO: ["the disk reports an error", "check the disk"],
  ESTALE: ["the network drive was lost", "mount it again"],
  ETIMEDOUT: [
    "the file system did not answer in time",
    "check whether a network drive hangs there, and mount it again",
  ],
  EBUSY: ["a file there is in use", "end what uses it"],
  EMFILE: ["too many files are open in this process", "raise its limit (ulimit -n)"],
  ENFILE: ["too many files are open on this machine", "close programs"],
  ENAMETOOLONG: ["the name of a file is too long there", "use a shorter path"],
};

/** If the disk is full, adds to the error how many bytes the file needs. */
export function addNeededDiskBytes(error: unknown, bytes: number): unknown {
  const isFull = error instanceof Error && "code" in error && ["ENOSPC", "EDQUOT"].includes(String(error.code));
  return isFull ? Object.assign(error, { neededBytes: bytes }) : error;
}

/** The remedy contains the text `otherwise`, which says how the user can choose another folder. */
export function explainFileFault(error: unknown, otherwise: string): ExplainedStorageFault | undefined {
  if (!(error instanceof Error) || !("code" in error) || !("syscall" in error)) {
    return undefined;
  }
  const [cause, remedy] = ownPropertyOf(causes, String(error.code)) ?? [
    "the file system reports an error",
    "check the disk",
  ];
  const needed = "neededBytes" in error ? `: at least ${String(error.neededBytes)} bytes are needed` : "";
  return {
    why: `${cause} (${String(error.code)}, ${String(error.syscall)})${needed}`,
    remedy: `${remedy}, or use another folder (${otherwise})`,
  };
}

/** The error for a name that belongs to a folder, a link or a device, and not to a file. */
export class NotAFileError extends Error {
  readonly code = "EISDIR";
  readonly syscall = "lstat";
}

/**
 * Each code means that the file is missing: its name does not exist, or belongs to a folder or a link, or a parent is
 * no folder.
 */
const missingCodes: ReadonlySet<unknown> = new Set(["ENOENT", "ENOTDIR", "EISDIR", "ERR_FS_EISDIR", "ELOOP"]);

export async function undefinedIfMissing<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Error && "code" in error && missingCodes.has(error.code)) {
      return undefined;
    }
    throw error;
  }
}
