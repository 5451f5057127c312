import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { projectRoot } from "../../projectRoot";
import { bundleConstants, bundleOf } from "../plugins/bundle";
import { terraformProvider } from "../plugins/release";

/**
 * Writes the Terraform provider as scripts for a Node.js on PATH, for development and tests: one script that starts,
 * and one that loads at the first call beyond the schema.
 * @param folder is made if it is missing.
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
      // `import()` searches a whole file for exported names, which takes longer than the rest of a start.
      supported: { "dynamic-import": false },
    }),
    bundleOf("provider/hosts/terraform/service.ts"),
  ]);
  writeFileSync(started, outputFiles[0]?.contents ?? "", { mode: 0o755 });
  writeFileSync(join(folder, "service.js"), service.main);
  writeFileSync(join(folder, "libraries.js"), service.libraries);
  return started;
}
