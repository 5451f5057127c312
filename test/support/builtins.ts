import { createRequire, syncBuiltinESMExports } from "node:module";
import { onTestFinished } from "vitest";

type Functions = Record<string, unknown>;

/**
 * Replaces functions of a module of Node.js for everything in this process that imports it, until the test ends. Unlike a
 * mock of the test runner, it also reaches modules that other test files have loaded.
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
