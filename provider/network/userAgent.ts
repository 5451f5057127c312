import { packageVersion } from "../support/packageVersion";

let host = "dynamic";

/** What serves the engine in this process; the SDK's dynamic provider unless told. */
export function nameHost(name: "dynamic" | "plugin"): void {
  host = name;
}

/** The version of the engine is told where the environment knows it: no engine tells it to a provider. */
export function userAgent({ PULUMI_VERSION: engine = "" }: NodeJS.ProcessEnv = process.env): string {
  const known = /^v?(\d+\.\d+\.\d+[\w.+-]*)$/.exec(engine.trim())?.[1];
  const parts = [host, ...(known === undefined ? [] : [`pulumi ${known}`]), `node ${process.versions.node}`];
  return `pulumi-docs-platform/${packageVersion()} (${parts.join("; ")})`;
}
