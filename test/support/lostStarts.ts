/** Returns the names of the journal entries that an error advises to remove if its lost starts have started nothing. */
export function entriesToRemove(text: string): string[] {
  return [...new Set(text.match(/[0-9a-f]{32}-[0-9a-f]{32}\.[0-9a-f]{12}(?=\.json)/g) ?? [])];
}
