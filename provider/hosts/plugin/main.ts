import { enableCompileCache, flushCompileCache } from "node:module";
import { join } from "node:path";
import { pulumiHome } from "../../support/words";

/** By then all is loaded that a run needs in which nothing changed; milliseconds. */
const loadedAfter = 1_000;

/*
 * To compile the libraries is a third of what a start costs. What is compiled lies with the user's own files: whoever can write
 * there can run code here. The journal's folder beside it holds the journal and nothing else.
 */
// A Node.js that lacks this is refused by `check`, in words that a user sees.
enableCompileCache?.(join(pulumiHome(process.env), "docs-platform-compiled"));
require("./serve");
// The engine ends a plugin by a signal, at which Node.js writes nothing.
setTimeout(() => flushCompileCache?.(), loadedAfter).unref();
