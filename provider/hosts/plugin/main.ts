import { enableCompileCache, flushCompileCache } from "node:module";
import { join } from "node:path";
import { pulumiHome } from "../../support/words";

const loadedAfter = 1_000;

/*
 * Compiling the libraries takes a third of the start time. The compiled code is stored with the user's own files:
 * anyone who can write there can run code here. The journal's folder beside it contains only the journal.
 */
// If Node.js lacks this function, `check` refuses that version with a message for the user.
const home = pulumiHome(process.env);
if (home !== undefined) {
  enableCompileCache?.(join(home, "docs-platform-compiled"));
}
require("./serve");
// The engine ends a plugin by a signal. Node.js then writes nothing.
setTimeout(() => flushCompileCache?.(), loadedAfter).unref();
