import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { projectRoot } from "../../projectRoot";
import { bundleConstants, bundleOf } from "../plugins/bundle";
import { terraformProvider } from "../plugins/release";

/**
 * For work on it, and for tests: writes the provider for Terraform as scripts, which a Node.js on PATH runs: one that is
 * started, and what it loads at the first call that needs more than the schema.
 * @param folder is made where it is not there.
 * @returns the file that Terraform starts.
 */
export async function bundleProvider(folder: string, version: string): Promise<string> {
  mkdirSync(folder, { recursive: true });
  const started = join(folder, terraformProvider.executable(version));
  const [{ outputFiles }, service] = await Promise.all([
    build({
      absWorkingDir: projectRoot,
      entryPoints: [terraformProvider.entry],
      bundle: true,
      write: false,
      minify: true,
      platform: "node",
      target: "node22.19",
      format: "cjs",
      legalComments: "none",
      banner: { js: "#!/usr/bin/env node" },
      define: await bundleConstants(),
      external: ["./service.js"],
      // `import()` looks through all of a file for the names that it exports, which takes longer than the rest of a start.
      supported: { "dynamic-import": false },
    }),
    bundleOf("provider/hosts/terraform/service.ts"),
  ]);
  writeFileSync(started, outputFiles[0]?.contents ?? "", { mode: 0o755 });
  writeFileSync(join(folder, "service.js"), service.main);
  writeFileSync(join(folder, "libraries.js"), service.libraries);
  return started;
}
