import { packageVersion } from "../support/packageVersion";

let host = "dynamic";
let engineOfHost: string | undefined;

/**
 * What serves the engine in this process; the SDK's dynamic provider unless told.
 * @param engine its name and version, where the host is told them.
 */
export function nameHost(name: "dynamic" | "plugin" | "terraform", engine?: string): void {
  host = name;
  engineOfHost = engine;
}

/** The version of the engine is told where the environment knows it: no engine tells it to a provider. */
export function userAgent({ PULUMI_VERSION: engine = "" }: NodeJS.ProcessEnv = process.env): string {
  const known = /^v?(\d+\.\d+\.\d+[\w.+-]*)$/.exec(engine.trim())?.[1];
  const told = engineOfHost ?? (known && `pulumi ${known}`);
  const parts = [host, ...(told === undefined ? [] : [told]), `node ${process.versions.node}`];
  return `pulumi-docs-platform/${packageVersion()} (${parts.join("; ")})`;
}
