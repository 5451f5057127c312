// Makes the engine's Node.js processes start faster, in three ways. An SDK module is loaded only when it is used. A
// JavaScript program runs without the TypeScript compiler. Compiled code is cached in a file.
const { existsSync } = require("node:fs");
const Module = require("node:module");
const { join } = require("node:path");
const { parseArgs } = require("node:util");

const forFunctions = ["typescript", "@npmcli/arborist", "normalize-package-data", "fdir", "semver"];
const loadedOnUse = new Set([...forFunctions, "./automation"]);
const load = Module._load;
Module._load = function (request, parent, ...others) {
  const loadNow = () => load.call(this, request, parent, ...others);
  const bySdk = /[/\\]@pulumi[/\\]pulumi[/\\]/.test(parent?.filename ?? "");
  return bySdk && loadedOnUse.has(request) ? onFirstUse(loadNow) : loadNow();
};

function onFirstUse(loadNow) {
  // `import * as` first reads `__esModule`. If the value is true, `import * as` reads no other property, so the module
  // is not loaded yet.
  return new Proxy({}, { get: (_, name) => name === "__esModule" || loadNow()[name] });
}

// The engine does not pass the project's option `typescript: false` to this version of the language host. The variable
// has the same effect.
const { pwd = "." } = parseArgs({ options: { pwd: { type: "string" } }, strict: false }).values;
if (existsSync(join(pwd, "index.js"))) {
  process.env.PULUMI_NODEJS_TYPESCRIPT = "false";
}

Module.enableCompileCache(String(process.env.TEST_COMPILE_CACHE));
// Node.js writes the cache only when the process exits by itself. The engine ends a provider by a signal, so the cache
// is written after one second.
setTimeout(Module.flushCompileCache, 1_000).unref();
