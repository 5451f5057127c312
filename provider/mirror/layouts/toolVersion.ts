import { readFileSync } from "node:fs";

let version: string | undefined;

/** The name and the version of this package, for manifests. */
export function toolVersion(): string {
  version ??= JSON.parse(readFileSync(require.resolve("pulumi-docs-platform/package.json"), "utf8")).version as string;
  return `pulumi-docs-platform ${version}`;
}
