import { chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { type BuildOptions, build } from "esbuild";
import { projectRoot } from "../../../projectRoot";

/** The file that Terraform starts, without the ending that Windows wants. */
export function executableName(version: string): string {
  return `terraform-provider-docsplatform_v${version}`;
}

const host = join(projectRoot, "provider", "hosts", "terraform");

const options: BuildOptions = {
  bundle: true,
  minify: true,
  platform: "node",
  target: "node20",
  format: "cjs",
  legalComments: "none",
};

/**
 * For work on it, and for tests: writes the provider for Terraform as two scripts, which a Node.js on PATH runs: one that is started, and what it loads at the
 * first call that needs more than the schema.
 * @param folder is made where it is not there.
 * @returns the file that Terraform starts.
 */
export async function bundleProvider(folder: string, version: string): Promise<string> {
  mkdirSync(folder, { recursive: true });
  const started = join(folder, executableName(version));
  await build({
    ...options,
    entryPoints: [join(host, "main.ts")],
    outfile: started,
    banner: { js: "#!/usr/bin/env node" },
    external: ["./service.js"],
  });
  await build({
    ...options,
    entryPoints: [join(host, "service.ts")],
    outfile: join(folder, "service.js"),
    keepNames: true,
    // Loaded where they are installed, as the npm package does it.
    external: ["@aws-sdk/client-s3", "@pulumi/pulumi"],
  });
  chmodSync(started, 0o755);
  return started;
}
