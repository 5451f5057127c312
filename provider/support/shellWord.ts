/**
 * Returns a text as one word of a POSIX shell, for a command that a user pastes.
 * @returns undefined for a text that a command would read as a flag.
 */
export function shellWord(text: string): string | undefined {
  if (text.startsWith("-")) {
    return undefined;
  }
  return /^[\w.@/:+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
