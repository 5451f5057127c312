import { readFileSync } from "node:fs";

let version: string | undefined;

/** This package and its version, as a manifest names the tool that wrote it. */
export function toolVersion(): string {
  version ??= JSON.parse(readFileSync(require.resolve("pulumi-docs-platform/package.json"), "utf8")).version as string;
  return `pulumi-docs-platform ${version}`;
}
