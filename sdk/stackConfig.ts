import * as pulumi from "@pulumi/pulumi";

/** Returns the text of a setting in the stack's configuration. */
export function stackConfig(name: string): string | undefined {
  return new pulumi.Config("docs-platform").get(name);
}
