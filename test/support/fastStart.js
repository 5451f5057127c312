// Makes the engine's Node.js processes start faster, in three ways. First, the SDK loads many modules that no test
// uses, such as those for the Automation API. With this file, a module is loaded only when it is used. Second, a
// program in JavaScript runs without the TypeScript compiler. Third, compiled code is cached in a file.
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

// The project's option `typescript: false` would switch the TypeScript compiler off, but the engine does not pass this
// option to this version of the language host. The variable has the same effect as the option.
const { pwd = "." } = parseArgs({ options: { pwd: { type: "string" } }, strict: false }).values;
if (existsSync(join(pwd, "index.js"))) {
  process.env.PULUMI_NODEJS_TYPESCRIPT = "false";
}

Module.enableCompileCache(String(process.env.TEST_COMPILE_CACHE));
// By default, Node.js writes the cache when the process exits. But the engine ends a provider by a signal, and then
// Node.js writes no cache. So the cache is written after one second.
setTimeout(Module.flushCompileCache, 1_000).unref();
