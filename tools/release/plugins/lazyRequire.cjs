/**
 * The build adds this file to a bundle of the code that is loaded at each start. The function is the bundle's
 * `require`. Packages that are loaded later come from a second bundle: the asset of an executable, or a file in the
 * same folder.
 */
// biome-ignore lint/correctness/noUnusedVariables: the bundle calls it.
function lazyRequire(outer, names) {
  const load = () => {
    const { getAsset, isSea } = outer("node:sea");
    if (!isSea()) {
      return outer("./libraries.js");
    }
    const filename = "libraries.js";
    const library = { exports: {} };
    const run = outer("node:vm").compileFunction(getAsset(filename, "utf8"), ["module", "exports", "require"], {
      filename,
    });
    run(library, library.exports, outer);
    return library.exports;
  };
  let libraries;
  return (name) => {
    if (!names.includes(name)) {
      return outer(name);
    }
    libraries ??= load();
    return libraries[name]();
  };
}
