import * as pulumi from "@pulumi/pulumi";

/** The text of a setting in the stack's configuration, by the name of the setting. */
export function stackConfig(name: string): string | undefined {
  return new pulumi.Config("docs-platform").get(name);
}
