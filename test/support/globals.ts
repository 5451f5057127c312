/** Global functions that a test may replace. All test files run in the same process, so each file must restore them. */
const replaceable: readonly (readonly [object: object, name: string])[] = [
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
  return replaceable.map(([object, name]) => Reflect.get(object, name));
}

/** @param former the global functions before the test file ran. */
export function replacedGlobals(former: readonly unknown[]): string[] {
  return replaceable
    .filter(([object, name], index) => Reflect.get(object, name) !== former[index])
    .map(([, name]) => name);
}
