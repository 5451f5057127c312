import { packageVersion } from "../../support/packageVersion";

/** The name and the version of this package, for manifests. */
export function toolVersion(): string {
  return `pulumi-docs-platform ${packageVersion()}`;
}
