import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "../projectRoot";
import { ownCodeOf, starterOf } from "./release/plugins/bundle";
import { plugin } from "./release/plugins/release";

/** Makes the plugin of the npm package: the hundred files of our code cost a start more than Node.js itself. */
async function main(): Promise<void> {
  const folder = join(projectRoot, "dist", "plugin");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "main.js"), await starterOf("provider/hosts/plugin/main.ts"));
  writeFileSync(join(folder, "serve.js"), await ownCodeOf(plugin.entry));
}

void main();
