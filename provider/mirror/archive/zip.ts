import { isUtf8 } from "node:buffer";
import { crc32 } from "node:zlib";
import type { Entry, ZipFile } from "yauzl";
import { archiveError, quoteForMessage } from "./archiveError";
import type { CheckedArchiveEntry } from "./format";
import type { UnpackBudget } from "./limits";

const utf8Flag = 0x800;

/** The library refuses encrypted entries and rare compressions. */
export async function* zipMembers(file: string, budget: UnpackBudget): AsyncGenerator<CheckedArchiveEntry> {
  const { openPromise, getFileNameLowLevel } = await import("yauzl");
  // The library does not decode the names, so it does not check them. Our own code refuses bad names, and its errors
  // show such names safely.
  const zip = await openPromise(file, { decodeStrings: false, autoClose: false });
  try {
    for await (const entry of zip.eachEntry()) {
      const { generalPurposeBitFlag, fileNameRaw, extraFields, uncompressedSize } = entry;
      // Tools that run without a locale write UTF-8 names without the flag for UTF-8. So the flag is set for every name
      // that is valid UTF-8.
      const flags = isUtf8(fileNameRaw) ? generalPurposeBitFlag | utf8Flag : generalPurposeBitFlag;
      const name = getFileNameLowLevel(flags, fileNameRaw, extraFields, true);
      const kind = memberKind(entry, name);
      yield { name, kind, sizeBytes: uncompressedSize, content: () => content(zip, entry, name, budget) };
    }
  } finally {
    zip.close();
  }
}

function memberKind({ externalFileAttributes }: Entry, name: string): CheckedArchiveEntry["kind"] {
  // The upper half of the attributes is the Unix mode. It is 0 in a zip from another system.
  const type = (externalFileAttributes >>> 16) & 0o170000;
  if (type !== 0 && type !== 0o100000 && type !== 0o040000) {
    const what = type === 0o120000 ? "a symlink" : "a device or of an unknown kind";
    throw archiveError(`the archive's entry ${quoteForMessage(name)} is ${what}, not a file`);
  }
  return name.endsWith("/") ? "folder" : "file";
}

async function* content(zip: ZipFile, entry: Entry, name: string, budget: UnpackBudget): AsyncGenerator<Buffer> {
  let sum = 0;
  for await (const chunk of await zip.openReadStreamPromise(entry)) {
    budget.addBytes(chunk.length);
    sum = crc32(chunk, sum);
    yield chunk;
  }
  if (sum !== entry.crc32) {
    throw archiveError(`the archive's entry ${quoteForMessage(name)} is damaged: its checksum is wrong`);
  }
}
