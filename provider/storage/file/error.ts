import type { Fault } from "../attempt";

const permissionRemedy = "give the user of this run the right to write there";

/** The most common codes of the file system, in words, and what to do about them. */
const causes: Readonly<Record<string, readonly [cause: string, remedy: string]>> = {
  ENOSPC: ["the disk is full", "free space there"],
  EDQUOT: ["the disk quota is used up", "free space there"],
  EFBIG: ["the file system takes no file of this size", "use another file system"],
  EACCES: ["permission is denied", permissionRemedy],
  EPERM: ["the operation is not permitted", permissionRemedy],
  EROFS: ["the file system is read-only", "mount it for writing"],
  ENOTDIR: ["a file stands where a folder is needed", "remove it"],
  EEXIST: ["a file stands where a folder is needed", "remove it"],
  ELOOP: ["a symbolic link stands where a folder is needed", "remove it"],
  EISDIR: ["a folder stands where a file is needed", "remove it"],
  ENOENT: ["it is not there, and cannot be made", "make it"],
};

/**
 * @param otherwise how to choose another folder.
 * @returns undefined for what is not an error of the file system.
 */
export function explainFileFault(error: unknown, otherwise: string): Fault | undefined {
  if (!(error instanceof Error) || !("code" in error) || !("syscall" in error)) {
    return undefined;
  }
  const [cause, remedy] = causes[String(error.code)] ?? [error.message, "look at what is named"];
  return {
    why: `${cause} (${String(error.code)}, ${String(error.syscall)})`,
    remedy: `${remedy}, or use another folder (${otherwise})`,
  };
}
