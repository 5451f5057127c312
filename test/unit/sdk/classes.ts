import * as pulumi from "@pulumi/pulumi";
import * as sdk from "../../../sdk";

interface ResourceClass {
  new (name: string, args: object, opts?: pulumi.CustomResourceOptions): pulumi.CustomResource;
  isInstance(value: unknown): boolean;
}

export const classes: Readonly<Record<string, ResourceClass>> = Object.fromEntries(
  Object.entries<unknown>({ ...sdk }).filter((entry): entry is [string, ResourceClass] => isResourceClass(entry[1])),
);

function isResourceClass(value: unknown): boolean {
  return typeof value === "function" && value.prototype instanceof pulumi.CustomResource;
}
