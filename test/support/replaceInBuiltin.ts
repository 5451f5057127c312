import { createRequire, syncBuiltinESMExports } from "node:module";
import { onTestFinished } from "vitest";

type Functions = Record<string, unknown>;

/**
 * Replaces functions of a Node.js module for all code in this process, until the test ends. A mock of vitest would not
 * change modules that an earlier test file has loaded.
 */
export function replaceInBuiltin(name: string, replace: (real: Functions) => Functions): void {
  const module: Functions = createRequire(__filename)(name);
  const changed = replace({ ...module });
  const former = Object.keys(changed).map((key) => [key, Object.getOwnPropertyDescriptor(module, key) ?? {}] as const);
  for (const [key, descriptor] of former) {
    Object.defineProperty(module, key, { ...descriptor, value: changed[key] });
  }
  syncBuiltinESMExports();
  onTestFinished(() => {
    Object.defineProperties(module, Object.fromEntries(former));
    syncBuiltinESMExports();
  });
}
