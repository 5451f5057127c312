/**
 * Returns the names of the journal entries that an error lists. The error advises to remove them if their starts, which
 * got no answer, created no job.
 */
export function entriesToRemove(text: string): string[] {
  return [...new Set(text.match(/[0-9a-f]{32}-[0-9a-f]{32}\.[0-9a-f]{12}(?=\.json)/g) ?? [])];
}
