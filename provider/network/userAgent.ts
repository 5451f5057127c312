import { packageVersion } from "../support/packageFacts";

let host = "dynamic";
let engineOfHost: string | undefined;

/**
 * Names the host in this process for the User-Agent. Default: the SDK's dynamic provider.
 * @param engine its name and version, if the host knows them.
 */
export function nameHost(name: "dynamic" | "plugin" | "terraform", engine?: string): void {
  host = name;
  engineOfHost = engine;
}

/** The engine's version comes from the environment, if it is there: no engine reports its version to a provider. */
export function userAgent({ PULUMI_VERSION: engine = "" }: NodeJS.ProcessEnv = process.env): string {
  const known = /^v?(\d+\.\d+\.\d+[\w.+-]*)$/.exec(engine.trim())?.[1];
  const told = engineOfHost ?? (known && `pulumi ${known}`);
  const parts = [host, ...(told === undefined ? [] : [told]), `node ${process.versions.node}`];
  return `pulumi-docs-platform/${packageVersion()} (${parts.join("; ")})`;
}
