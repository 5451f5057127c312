import * as pulumi from "@pulumi/pulumi";

/** The part of a type token that all dynamic resources of this package share. */
const typePrefix = "pulumi-nodejs:dynamic/docs-platform:";

/**
 * What the engine keeps of our code, once in the inputs and once in the outputs of each resource: a text that names it.
 * It can never change, or every stack would differ from its state; and nothing is captured in it, so that no code, no
 * key and no library gets into the state.
 */
function providerText(name: string): string {
  return `exports.handler = () => require("pulumi-docs-platform/provider").${name};`;
}

/** A dynamic resource whose code is named, and not serialised. */
export abstract class PlatformResource extends pulumi.CustomResource {
  protected constructor(
    kind: string,
    name: string,
    properties: pulumi.Inputs,
    opts: pulumi.CustomResourceOptions | undefined,
  ) {
    const type = `${typePrefix}${kind}`;
    // The engine tells a dynamic provider no URN; with it, progress stands on the resource's own row.
    const urn = pulumi.createUrn(name, type, opts?.parent);
    super(type, name, { ...properties, __urn: urn, __provider: providerText(kind) }, opts);
  }

  /** @internal */
  protected static isOfKind(value: unknown, kind: string): boolean {
    return (
      pulumi.Resource.isInstance(value) && "__pulumiType" in value && value.__pulumiType === `${typePrefix}${kind}`
    );
  }
}
