/**
 * Global functions that a test may replace. A test file must restore the original functions before it ends, because the
 * next test file runs in the same process and uses the same functions.
 */
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

/**
 * Returns the names of the functions that a test file has replaced and not restored.
 * @param former the global functions before the test file ran.
 */
export function replacedGlobals(former: readonly unknown[]): string[] {
  return places.filter(([object, name], index) => Reflect.get(object, name) !== former[index]).map(([, name]) => name);
}
