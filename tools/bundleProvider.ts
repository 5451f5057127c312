import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "./projectRoot";
import { bundleOwnCode, makeStarter, sdkCode } from "./release/plugins/bundle";
import { pluginRelease } from "./release/plugins/release";

const dist = join(projectRoot, "dist");

/** Bundles the code in two files, because loading a hundred files takes longer than starting Node.js. */
async function main(): Promise<void> {
  mkdirSync(join(dist, "plugin"), { recursive: true });
  const write = (file: string, text: string) => writeFileSync(join(dist, file), text);
  const entries = {
    provider: "provider/index.ts",
    lookUps: "provider/lookUps.ts",
    plugin: pluginRelease.entry,
    status: "provider/statusMain.ts",
  };
  write("provider/bundle.js", await bundleOwnCode(entries));
  write("plugin/serve.js", 'require("../provider/bundle.js").plugin();\n');
  write("plugin/status.js", '#!/usr/bin/env node\nrequire("../provider/bundle.js").status();\n');
  chmodSync(join(dist, "plugin/status.js"), 0o755);
  write("plugin/main.js", await makeStarter("provider/hosts/plugin/main.ts"));
  write("sdk/index.js", await sdkCode());
  const { provider, lookUps } = require(join(dist, "provider", "bundle.js"));
  // Returns code with one line for each export, because an ES module finds a CommonJS export only if the code names it.
  const exportAll = (all: string, names: string[]) =>
    `const all = require("./bundle.js").${all};\n${names.map((each) => `exports.${each} = all.${each};\n`).join("")}`;
  const resources = Object.keys(provider().dynamicProviders);
  write("provider/index.js", exportAll("provider().dynamicProviders", resources));
  const declared = resources.map((each) => `export declare const ${each}: Required<ResourceProvider>;\n`);
  write("provider/index.d.ts", `import type { ResourceProvider } from "@pulumi/pulumi/dynamic";\n${declared.join("")}`);
  write("provider/lookUps.js", exportAll("lookUps()", Object.keys(lookUps())));
}

void main();
