import { join } from "node:path";
import { pulumiHome } from "../../support/pulumiHome";

/** What Node.js has from 22.10 on. */
interface CompileCache {
  enableCompileCache?(folder: string): unknown;
  flushCompileCache?(): void;
}

/** By then all is loaded that a run needs in which nothing changed; milliseconds. */
const loadedAfter = 1_000;

/*
 * To compile the libraries is a third of what a start costs. What is compiled lies with the user's own files: whoever can write
 * there can run code here. The journal's folder beside it holds the journal and nothing else.
 */
const { enableCompileCache, flushCompileCache }: CompileCache = require("node:module");
enableCompileCache?.(join(pulumiHome(process.env), "docs-platform-compiled"));
require("./serve");
// The engine ends a plugin by a signal, at which Node.js writes nothing.
setTimeout(() => flushCompileCache?.(), loadedAfter).unref();
