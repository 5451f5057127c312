import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "./projectRoot";
import { ownCodeOf, starterOf } from "./release/plugins/bundle";
import { plugin } from "./release/plugins/release";

const dist = join(projectRoot, "dist");

/**
 * Makes one file of what runs in a provider process, and lets the package's files load that: our hundred files cost a start
 * more than Node.js itself.
 */
async function main(): Promise<void> {
  mkdirSync(join(dist, "plugin"), { recursive: true });
  const write = (file: string, text: string) => writeFileSync(join(dist, file), text);
  const entries = { provider: "provider/index.ts", lookUps: "provider/lookUps.ts", plugin: plugin.entry };
  write("provider/bundle.js", await ownCodeOf(entries));
  write("plugin/serve.js", 'require("../provider/bundle.js").plugin();\n');
  write("plugin/main.js", await starterOf("provider/hosts/plugin/main.ts"));
  const bundle = require(join(dist, "provider", "bundle.js"));
  // By their names, so that an ES module can import them, too.
  for (const [file, name] of [
    ["index", "provider"],
    ["lookUps", "lookUps"],
  ] as const) {
    const exported = Object.keys(bundle[name]()).map((each) => `exports.${each} = all.${each};\n`);
    write(`provider/${file}.js`, `const all = require("./bundle.js").${name}();\n${exported.join("")}`);
  }
}

void main();
