/** Returns the codes of all errors in a text, each one once. */
export function codesIn(text: string): string[] {
  return [...new Set(text.match(/\bDOCS_(?!PLATFORM_)[A-Z_]+(?=:)/g) ?? [])].sort();
}
