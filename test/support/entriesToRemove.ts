/** Returns the names of the journal entries that an error lists. Each entry belongs to a start without an answer. */
export function entriesToRemove(text: string): string[] {
  return [...new Set(text.match(/[0-9a-f]{32}-[0-9a-f]{32}\.[0-9a-f]{12}(?=\.json)/g) ?? [])];
}
