import { mkdirSync } from "node:fs";
import { delimiter, join } from "node:path";

/**
 * Makes a folder the home and the backend of a stack of its own, and returns what its commands need in their environment:
 * nothing of the user's own Pulumi is read or changed, and nothing is fetched.
 */
export function prepareStackFolder(folder: string, pulumiFolder: string, passphrase: string): Record<string, string> {
  mkdirSync(join(folder, "backend"), { recursive: true });
  return {
    PATH: `${pulumiFolder}${delimiter}${process.env.PATH ?? ""}`,
    PULUMI_HOME: join(folder, "home"),
    PULUMI_BACKEND_URL: `file://${folder}/backend`,
    PULUMI_CONFIG_PASSPHRASE: passphrase,
    PULUMI_SKIP_UPDATE_CHECK: "1",
    // An example's package of another provider lies in this project's node_modules: its plugin is not fetched for that.
    PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
  };
}
