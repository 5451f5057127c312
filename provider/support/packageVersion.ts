let version: string | undefined;

/** Of this package. */
export function packageVersion(): string {
  version ??= String(require("pulumi-docs-platform/package.json").version);
  return version;
}
