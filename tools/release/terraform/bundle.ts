import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bundleProgram } from "../plugins/bundle";
import { terraformProvider } from "../plugins/release";

/** Writes the provider for the Node.js on PATH, for development and tests. Returns the file that Terraform starts. */
export async function bundleProvider(folder: string, version: string): Promise<string> {
  mkdirSync(folder, { recursive: true });
  const started = join(folder, terraformProvider.executable(version));
  const { main, libraries } = await bundleProgram(terraformProvider.entry);
  writeFileSync(started, `#!/usr/bin/env node\n${main}`, { mode: 0o755 });
  writeFileSync(join(folder, "libraries.js"), libraries);
  return started;
}
