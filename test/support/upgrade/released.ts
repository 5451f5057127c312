import { join } from "node:path";
import { getTool } from "../../../tools/toolchain/getTool";

/** The installed code of the last release, with its own dependencies. */
export interface Released {
  /** The packages to link into a program, in the form of `linkedPackages`. */
  packages: Readonly<Record<string, string>>;
  /** The path of the plugin's folder. */
  plugin: string;
  provider: string;
}

export async function released(): Promise<Released> {
  const folder = await getTool("last-release");
  const modules = join(folder, "node_modules");
  const own = join(modules, "pulumi-docs-platform");
  const packages = {
    "pulumi-docs-platform/package.json": join(own, "package.json"),
    "pulumi-docs-platform/dist": join(own, "dist"),
    "@pulumi/pulumi": join(modules, "@pulumi", "pulumi"),
  };
  return { packages, plugin: join(own, "plugin"), provider: join(folder, "terraform") };
}
