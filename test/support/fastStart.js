// Makes the start of the engine's Node.js processes cheap, in three ways.
// 1. Half of what the SDK loads serves to serialise functions, or the Automation API. No test does either: each is loaded
//    when it is first used.
// 2. A program in JavaScript is run without a compiler of TypeScript.
// 3. The compiled code of the SDK's modules comes from a file. Node.js does so by itself from version 22.1 on; here the same
//    for 20. Only packages are cached: our code is loaded as ever.
const { existsSync, readFileSync, renameSync, writeFileSync } = require("node:fs");
const Module = require("node:module");
const { dirname, join, sep } = require("node:path");
const { parseArgs } = require("node:util");
const { Script } = require("node:vm");

const [, main = ""] = process.argv;
const folder = String(process.env.TEST_COMPILE_CACHE);
/** The packages of this installation, in which the cache lies; a package that a test installs elsewhere is loaded as ever. */
const packages = join(folder, "..", "..", "..", sep);

const forFunctions = ["typescript", "@npmcli/arborist", "normalize-package-data", "fdir", "semver"];
const loadedOnUse = new Set([...forFunctions, "./automation"]);
const load = Module._load;
Module._load = function (request, parent, ...others) {
  const loadNow = () => load.call(this, request, parent, ...others);
  const bySdk = /[/\\]@pulumi[/\\]pulumi[/\\]/.test(parent?.filename ?? "");
  return bySdk && loadedOnUse.has(request) ? onFirstUse(loadNow) : loadNow();
};

function onFirstUse(loadNow) {
  // What imports it as a namespace asks for this mark first, and takes a module that has it as it is.
  return new Proxy({}, { get: (_, name) => name === "__esModule" || loadNow()[name] });
}

// The engine does not tell this version of the language host that a project has no TypeScript.
const { pwd = "." } = parseArgs({ options: { pwd: { type: "string" } }, strict: false }).values;
if (existsSync(join(pwd, "index.js"))) {
  process.env.PULUMI_NODEJS_TYPESCRIPT = "false";
}

if (Module.enableCompileCache) {
  Module.enableCompileCache(folder);
} else if (/[/\\]@pulumi[/\\]pulumi[/\\]cmd[/\\]|[/\\](programServer|main)\.js$/.test(main)) {
  // One file for each program, since each loads other modules, and all of them at its start.
  useCache(join(folder, `${encodeURIComponent(main)}.cache`));
}

function useCache(file) {
  const known = read(file);
  /** @type {Map<string, Script>} */
  const compiled = new Map();
  const save = () => known ?? write(file, compiled);
  // The engine ends a provider by a signal: what it uses is saved when nothing more has come for a while.
  const idle = setTimeout(save, 500).unref();
  process.once("exit", save);
  const compile = Module.prototype._compile;
  Module.prototype._compile = function (source, filename, ...others) {
    if (!filename.startsWith(packages) || source.startsWith("#!"))
      return compile.call(this, source, filename, ...others);
    const script = new Script(Module.wrap(source), { filename, cachedData: known?.get(filename) });
    compiled.set(filename, script);
    idle.refresh();
    const require = Object.assign((id) => this.require(id), {
      resolve: (id, options) => Module._resolveFilename(id, this, false, options),
      main: process.mainModule,
      cache: Module._cache,
      extensions: Module._extensions,
    });
    return script.runInThisContext().call(this.exports, this.exports, require, this, filename, dirname(filename));
  };
}

/** The file begins with the length of its index, which tells the place of each module's code. */
function read(file) {
  try {
    const content = readFileSync(file);
    const end = 4 + content.readUInt32LE(0);
    const index = JSON.parse(content.toString("utf8", 4, end));
    return new Map(index.map(([name, at, length]) => [name, content.subarray(end + at, end + at + length)]));
  } catch {
    return undefined;
  }
}

function write(file, compiled) {
  const index = [];
  const codes = [];
  let at = 0;
  for (const [name, script] of compiled) {
    const code = script.createCachedData();
    index.push([name, at, code.length]);
    codes.push(code);
    at += code.length;
  }
  const names = Buffer.from(JSON.stringify(index));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(names.length);
  const unfinished = `${file}.${process.pid}`;
  writeFileSync(unfinished, Buffer.concat([length, names, ...codes]));
  renameSync(unfinished, file);
}
