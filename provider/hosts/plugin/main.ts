import { enableCompileCache, flushCompileCache } from "node:module";
import { join } from "node:path";
import { pulumiHome } from "../../support/words";

const loadedAfter = 1_000;

/*
 * Compiling the libraries takes a third of the start time, so the compiled code is cached. The cache is in the user's
 * own folder of Pulumi, because anyone who can write to the cache can run code in this process. The cache is not in the
 * journal's folder, which contains only the journal.
 */
const home = pulumiHome(process.env);
if (home !== undefined) {
  // An old version of Node.js lacks this function. The process starts without the cache, so that the provider's `check`
  // can refuse that version.
  enableCompileCache?.(join(home, "docs-platform-compiled"));
}
require("./serve");
// The cache is written by a timer, because the engine ends a plugin by a signal, after which Node.js writes nothing.
setTimeout(() => flushCompileCache?.(), loadedAfter).unref();
