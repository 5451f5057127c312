import { DestinationError, DocsPlatformError } from "../../support/errors";
import { words } from "../../support/words";

const permissionRemedy = "give the user of this run the right to write there";

/** The most common codes, in words, and what to do about them. */
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
 * Converts an error of the file system to a DestinationError. Any other error stays as it is.
 * @param otherwise how to choose another folder.
 */
export function asFileError(error: unknown, folder: string, otherwise: string): unknown {
  if (error instanceof DocsPlatformError || !(error instanceof Error) || !("code" in error) || !("syscall" in error)) {
    return error;
  }
  const [cause, remedy] = causes[String(error.code)] ?? [error.message, "look at what is named"];
  return new DestinationError({
    happened: `the folder ${folder} cannot be used: ${cause} (${String(error.code)}, ${String(error.syscall)})`,
    remedy: `${remedy}, or use another folder (${otherwise}); then run \`${words.run}\` again.`,
  });
}
