/**
 * Looks up a name from another program in a table. It ignores properties that every object inherits, such as
 * `constructor`.
 */
export function ownPropertyOf<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}
