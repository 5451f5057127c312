/** Functions of the process that a test may replace. The next file needs them unchanged. */
const places: readonly (readonly [object: object, name: string])[] = [
  [Math, "random"],
  [Date, "now"],
  [performance, "now"],
  [process, "kill"],
  [process, "exit"],
  ...["Date", "fetch", "queueMicrotask", "setImmediate", "setInterval", "setTimeout"].map(
    (name) => [globalThis, name] as const,
  ),
];

export function globalFunctions(): unknown[] {
  return places.map(([object, name]) => Reflect.get(object, name));
}

/** @returns the names of the changed functions. */
export function replacedGlobals(former: readonly unknown[]): string[] {
  return places.filter(([object, name], index) => Reflect.get(object, name) !== former[index]).map(([, name]) => name);
}
