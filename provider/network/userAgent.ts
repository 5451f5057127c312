import { readPackageVersion } from "../support/packageFacts";
import { words } from "../support/words";

/** Pulumi's engine does not report its version to a provider, so the version comes from the environment. */
export function userAgent({ PULUMI_VERSION: engine = "" }: NodeJS.ProcessEnv = process.env): string {
  const known = /^v?(\d+\.\d+\.\d+[\w.+-]*)$/.exec(engine.trim())?.[1];
  const told = words.engine ?? (known && `pulumi ${known}`);
  const parts = [words.host, ...(told === undefined ? [] : [told]), `node ${process.versions.node}`];
  return `pulumi-docs-platform/${readPackageVersion()} (${parts.join("; ")})`;
}
