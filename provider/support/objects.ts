type Values<T> = Readonly<Record<string, T>>;

export function mapValues<T, R>(values: Values<T>, change: (name: string, value: T) => R): Record<string, R> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(name, value)]));
}

export function pickProperties<T extends object>(values: T, isPicked: (name: string, value: unknown) => boolean): T {
  return Object.fromEntries(Object.entries(values).filter(([name, value]) => isPicked(name, value))) as T;
}

export function renameKeys<T>(values: Values<T>, rename: (name: string) => string): Record<string, T> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [rename(name), value]));
}
