import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { projectRoot } from "../../../projectRoot";

/** The file that Terraform starts, without the ending that Windows wants. */
export function executableName(version: string): string {
  return `terraform-provider-docsplatform_v${version}`;
}

/**
 * Writes the provider for Terraform as one script, which a Node.js on PATH runs.
 * @param folder is made where it is not there.
 */
export async function bundleProvider(folder: string, version: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(projectRoot, "provider", "hosts", "terraform", "main.ts")],
    bundle: true,
    minify: true,
    keepNames: true,
    write: false,
    platform: "node",
    target: "node20",
    format: "cjs",
    // Loaded where it is installed, as the npm package does it.
    external: ["@aws-sdk/client-s3", "@pulumi/pulumi"],
    banner: { js: "#!/usr/bin/env node" },
    legalComments: "none",
  });
  const script = outputFiles[0]?.text ?? "";
  mkdirSync(folder, { recursive: true });
  const file = join(folder, executableName(version));
  writeFileSync(file, script);
  chmodSync(file, 0o755);
  return file;
}
