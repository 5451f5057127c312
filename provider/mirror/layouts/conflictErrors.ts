import { DestinationError } from "../../support/errors";
import { words } from "../../support/words";
import { quoted } from "../archive/error";

export const maxNamedFiles = 3;

/** Returns the error for a destination with files that this mirror has not written. They were not changed. */
export function filesOfOthersError(names: readonly string[], remedy: string): DestinationError {
  const named = names.slice(0, maxNamedFiles).map(quoted).join(", ");
  const more = names.length > maxNamedFiles ? " and others" : "";
  return new DestinationError({
    happened: `the destination contains files that do not belong to this mirror: ${named}${more}`,
    remedy: `${remedy}; then run \`${words.run}\` again.`,
  });
}

/** Returns the error for a destination where another mirror has stored another bundle. */
export function bundleOfOtherError({ jobId, sha256 }: { jobId: string; sha256: string }): DestinationError {
  return new DestinationError({
    happened: `another mirror has put the bundle of job ${quoted(jobId)} with the sha256 ${quoted(sha256)} at the destination. Mirrors share a destination only for the same job and the same bytes`,
    remedy: `give each mirror its own destination, or destroy the other mirror first. To replace a mirror with one that has other bytes, set \`${words.deleteFirst}\`. If no such mirror exists any more, as after a killed first run, remove by hand what is there.`,
  });
}

/**
 * The warning of a removal that removes nothing, since other mirrors are named at the destination. A first run that was killed
 * leaves its name, too, and no later run can tell it from that of a mirror that exists.
 * @param where the file or the tag that names them.
 */
export function filesStayText(where: string): string {
  return `the files of this mirror stay: ${where} names other mirrors of the same bundle. If none of them exists any more, as after a killed first run, remove the files by hand.`;
}
