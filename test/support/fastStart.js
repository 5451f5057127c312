// Makes the start of the engine's Node.js processes cheap, in three ways.
// 1. Half of what the SDK loads serves to serialise functions, or the Automation API. No test does either: each is loaded
//    when it is first used.
// 2. A program in JavaScript is run without a compiler of TypeScript.
// 3. Compiled code comes from a file.
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
  // An import as a namespace asks for this mark first, and uses a module with the mark unchanged.
  return new Proxy({}, { get: (_, name) => name === "__esModule" || loadNow()[name] });
}

// The engine does not report to this version of the language host that a project has no TypeScript.
const { pwd = "." } = parseArgs({ options: { pwd: { type: "string" } }, strict: false }).values;
if (existsSync(join(pwd, "index.js"))) {
  process.env.PULUMI_NODEJS_TYPESCRIPT = "false";
}

Module.enableCompileCache(String(process.env.TEST_COMPILE_CACHE));
// The engine ends a provider by a signal. Node.js would then write no cache.
setTimeout(Module.flushCompileCache, 1_000).unref();
