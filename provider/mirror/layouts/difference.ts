/** So many files are named. */
const namedFiles = 3;

/** What a state says of a mirror of which only a part was published. */
export const unfinishedPublication = "the publication did not complete";

/** Names the files that are not as they were written, or not there any more. */
export function describeDifference(paths: readonly string[]): string {
  const more = paths.length > namedFiles ? ` and ${paths.length - namedFiles} more` : "";
  const count = paths.length === 1 ? "1 file differs" : `${paths.length} files differ`;
  return `${count}: ${paths.slice(0, namedFiles).join(", ")}${more}`;
}
