import { setFlagsFromString } from "node:v8";

/**
 * Spares a fifth of the process's memory at its peak. The HTTP library reads the heads of answers by a small WebAssembly
 * module, which V8 compiles at once, and while it is used once more with all its optimisations: some 35 MB for a moment,
 * and nothing to gain at a few requests a second. To be called before that library is loaded.
 */
export function compileWebAssemblyOnce(): void {
  setFlagsFromString("--liftoff-only");
}
