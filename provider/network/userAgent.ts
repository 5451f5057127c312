import { packageVersion } from "../support/packageFacts";

let host = "dynamic";
let engineOfHost: string | undefined;

/**
 * Sets the name of the host in this process for the User-Agent. Default: the SDK's dynamic provider.
 * @param engine the engine's name and version, if the host knows them.
 */
export function setUserAgentHost(name: "dynamic" | "plugin" | "terraform", engine?: string): void {
  host = name;
  engineOfHost = engine;
}

/**
 * Returns the User-Agent. Pulumi's engine reports no version to a provider, so the version comes from the environment,
 * if the environment has it.
 */
export function userAgent({ PULUMI_VERSION: engine = "" }: NodeJS.ProcessEnv = process.env): string {
  const known = /^v?(\d+\.\d+\.\d+[\w.+-]*)$/.exec(engine.trim())?.[1];
  const told = engineOfHost ?? (known && `pulumi ${known}`);
  const parts = [host, ...(told === undefined ? [] : [told]), `node ${process.versions.node}`];
  return `pulumi-docs-platform/${packageVersion()} (${parts.join("; ")})`;
}
