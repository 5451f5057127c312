import { enableCompileCache, flushCompileCache } from "node:module";
import { join } from "node:path";
import { findPulumiHome } from "../../support/words";

const loadedAfter = 1_000;

/** The cache is in the user's own folder, because anyone who can write to the cache can run code here. */
const home = findPulumiHome(process.env);
if (home !== undefined) {
  // An old Node.js lacks this function. The process must still start, so that `check` can refuse that version.
  enableCompileCache?.(join(home, "docs-platform-compiled"));
}
require("./serve");
// The engine ends a plugin by a signal, after which Node.js writes nothing. So a timer writes the cache.
setTimeout(() => flushCompileCache?.(), loadedAfter).unref();
