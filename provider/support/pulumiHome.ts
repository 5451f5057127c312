import { homedir } from "node:os";
import { join } from "node:path";

/** The folder that the Pulumi CLI keeps on this machine for this user. */
export function pulumiHome({ PULUMI_HOME: home }: NodeJS.ProcessEnv): string {
  return home?.trim() || join(homedir(), ".pulumi");
}
