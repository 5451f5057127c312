import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type BuildOptions, build, type Plugin } from "esbuild";
import { encodeSchemaInBase64 } from "../../../provider/hosts/terraform/schemaResponse";
import { projectRoot } from "../../projectRoot";
import { storagePackages } from "../../storagePackages";

/** The packages that our code loads when it first needs them. A start loads none of them. */
const lazyPackages = [...storagePackages, "mime-types", "tar-stream", "undici", "yauzl", "zod"];

/** A program with all its libraries, as two JavaScript files. */
export interface Bundle {
  /** The code that is loaded at each start. */
  readonly main: string;
  /** The code that is loaded when it is first needed. */
  readonly libraries: string;
  readonly packages: readonly string[];
}

const options = {
  absWorkingDir: projectRoot,
  bundle: true,
  write: false,
  metafile: true,
  platform: "node",
  format: "cjs",
  target: "node22.19",
  // Names are not shortened, because the code reads some names of classes, and stack traces show names.
  minifyWhitespace: true,
  minifySyntax: true,
  legalComments: "none",
  // `import()` is replaced by `require`, because only `require` finds the packages inside the bundle.
  supported: { "dynamic-import": false },
  logLevel: "error",
} satisfies BuildOptions;

/** Returns the constants of a bundle. Without a bundle, the code finds these values at run time. */
async function bundleConstants(): Promise<Record<string, string>> {
  return { IS_BUNDLE: "true", SCHEMA_ANSWER: JSON.stringify(await encodeSchemaInBase64()) };
}

/** @param entry a source file that runs when it is loaded, as a path from the project's root. */
export async function bundleProgram(entry: string): Promise<Bundle> {
  const names = JSON.stringify(lazyPackages);
  const lazyRequire = await readFile(join(__dirname, "lazyRequire.cjs"), "utf8");
  const banner = `${lazyRequire}\nvar require = lazyRequire(require, ${names});`;
  const lines = lazyPackages.map((name) => `exports[${JSON.stringify(name)}] = () => require("${name}");`);
  const define = await bundleConstants();
  const [main, libraries] = await Promise.all([
    build({ ...options, define, entryPoints: [entry], external: lazyPackages, banner: { js: banner } }),
    build({ ...options, define, stdin: { contents: lines.join("\n"), resolveDir: projectRoot } }),
  ]);
  const inputs = [main, libraries].flatMap(({ metafile }) => Object.keys(metafile.inputs));
  return { main: textOf(main), libraries: textOf(libraries), packages: packagesOf(inputs) };
}

/** Bundles source files without libraries. For each file, exports a function that runs it and returns its exports. */
export async function bundleOwnCode(entries: Readonly<Record<string, string>>): Promise<string> {
  const lines = Object.entries(entries).map(([name, file]) => `exports.${name} = () => require("./${file}");`);
  const stdin = { contents: lines.join("\n"), resolveDir: projectRoot };
  return textOf(await build({ ...options, stdin, packages: "external", external: ["#*"] }));
}

/** Leaves out code that the provider loads by `import()`, such as a store. A user's program never needs such code. */
const providerCode: Plugin = {
  name: "provider code",
  setup({ onResolve }) {
    onResolve({ filter: /^\./ }, ({ kind, path }) =>
      kind === "dynamic-import" ? { path, external: true } : undefined,
    );
  },
};

/** Returns the modules that a program imports, as one file, without the code that sends requests. */
export async function sdkCode(): Promise<string> {
  const left = { external: ["../provider/lookUps"], plugins: [providerCode] };
  return textOf(await build({ ...options, entryPoints: ["sdk/index.ts"], packages: "external", ...left }));
}

/** Returns the code of a file that starts a bundle. The file loads the bundle as `serve.js` from its own folder. */
export async function makeStarter(entry: string): Promise<string> {
  return textOf(await build({ ...options, entryPoints: [entry], external: ["./serve"] }));
}

function textOf({ outputFiles }: { outputFiles: readonly { text: string }[] }): string {
  return outputFiles[0]?.text ?? "";
}

function packagesOf(inputs: readonly string[]): string[] {
  const folders = inputs.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file) ?? []);
  return [...new Set(folders)].sort().map((folder) => join(projectRoot, ...folder.split("/")));
}
