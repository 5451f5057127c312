import * as pulumi from "@pulumi/pulumi";

/** The stack's configuration, as the settings of the provider are looked up in it: by their full names. */
export function stackConfig(): (key: string) => string | undefined {
  return (key) => {
    const [namespace = "", name = ""] = key.split(":");
    return new pulumi.Config(namespace).get(name);
  };
}
