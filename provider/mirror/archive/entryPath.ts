import { archiveError, quoteForMessage } from "./archiveError";
import type { UnpackLimits } from "./limits";

/** The longest name of a file or folder that file systems accept, in bytes. */
const nameBytes = 255;

const rules: readonly (readonly [string, (name: string) => boolean])[] = [
  ["has no name", (name) => name === ""],
  ["has a control character in its name", (name) => /\p{Cc}/u.test(name)],
  ["has a name that is not UTF-8", (name) => name.includes("\ufffd")],
  ["has a backslash in its name", (name) => name.includes("\\")],
  ["has an absolute path", (name) => name.startsWith("/") || /^[a-z]:/i.test(name)],
  ["has a path with ..", (name) => name.split("/").includes("..")],
  ["has a name that Windows reads as another one", (name) => name.split("/").some(isReadOtherwise)],
];

/**
 * Returns true if Windows reads the name as another name: the name of a device or of a file's stream, a short name such
 * as `A~1`, or a name that ends with a dot or a blank.
 */
function isReadOtherwise(name: string): boolean {
  return (
    /^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9¹²³]) *(\.|$)/i.test(name) ||
    (/[. ]$/.test(name) && !/^\.{1,2}$/.test(name)) ||
    /^[^.]{1,6}~\d+(\.[^.]{0,3})?$/.test(name) ||
    /:.*\$/.test(name)
  );
}

/**
 * Converts the name of an archive's entry to a path: relative, with `/`, without `.` and empty segments. The path is
 * empty for the archive's root.
 * @throws ArchiveError if the name could lead out of the target folder, or if a file or folder cannot have this name.
 */
export function entryPath(name: string, limits: UnpackLimits): string {
  const broken = rules.find(([, breaks]) => breaks(name));
  if (broken) {
    throw archiveError(`the archive's entry ${quoteForMessage(name)} ${broken[0]}`);
  }
  const segments = name.split("/").filter((segment) => segment !== "" && segment !== ".");
  const path = segments.join("/");
  if (Buffer.byteLength(path) > limits.pathBytes) {
    throw archiveError(
      `the archive's entry ${quoteForMessage(name)} has a path of more than ${limits.pathBytes} bytes`,
    );
  }
  if (segments.length > limits.levels) {
    throw archiveError(`the archive's entry ${quoteForMessage(name)} is deeper than ${limits.levels} levels`);
  }
  if (segments.some((segment) => Buffer.byteLength(segment) > nameBytes)) {
    throw archiveError(`the archive's entry ${quoteForMessage(name)} has a name of more than ${nameBytes} bytes`);
  }
  return path;
}
