/** The name may come from another program, so inherited properties such as `constructor` are ignored. */
export function ownPropertyOf<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}
