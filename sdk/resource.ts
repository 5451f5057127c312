import * as pulumi from "@pulumi/pulumi";
import type { ResourceDefinition } from "../provider/definitions/definition";
import { assertProviderPackageFound } from "./assertProviderPackageFound";
import { warnOfUnsafeKeySettings } from "./settingWarnings";

/**
 * Returns the value of `__provider`: the JavaScript text with which the engine loads our code. This text is in the
 * state of each resource. So the text must never change: a change would be a difference in every stack. The text only
 * requires this package, so that no code, key or library gets into the state.
 */
function providerText(name: string): string {
  return `exports.handler = () => require("pulumi-docs-platform/provider").${name};`;
}

/**
 * Returns the resource's URN as an input, because the engine does not pass the URN to a dynamic provider. The provider
 * needs the URN to show a status on the resource's own row. The URN must not be an output. First, hundreds of outputs
 * make a run one second longer. Second, an output that contains the parent's URN depends on the parent: the resource
 * would then wait for every child of its component, including itself.
 */
function urnOf(type: string, name: string, parent: pulumi.Resource | undefined): string | Promise<string> {
  return parent === undefined
    ? `urn:pulumi:${pulumi.getStack()}::${pulumi.getProject()}::${type}::${name}`
    : new Promise((resolve) => pulumi.createUrn(name, type, parent).apply(resolve));
}

function typeOf({ name }: ResourceDefinition): string {
  return `pulumi-nodejs:dynamic/docs-platform:${name}`;
}

/**
 * Returns the arguments for the SDK's constructor. With them, the SDK registers a dynamic resource without serialising
 * its code. Each class extends the SDK's class directly, so that the SDK finds the program's line that creates the
 * resource.
 */
export function createRegistrationArgs(
  definition: ResourceDefinition,
  name: string,
  args: object | undefined,
  opts: pulumi.CustomResourceOptions | undefined,
): [type: string, name: string, properties: pulumi.Inputs, opts: pulumi.CustomResourceOptions | undefined] {
  assertProviderPackageFound();
  warnOfUnsafeKeySettings();
  const type = typeOf(definition);
  const secrets = [...definition.secrets];
  const properties = {
    // The SDK turns each property of this object into an output.
    ...Object.fromEntries(definition.readable.map((output) => [output, undefined])),
    ...args,
    // Marks a look-up in a preview. Without a key, such a look-up gives unknown outputs instead of an error.
    ...(opts?.id !== undefined && pulumi.runtime.isDryRun() && { __preview: true }),
    __urn: urnOf(type, name, opts?.parent),
    __provider: providerText(definition.name),
  };
  const options = secrets.length === 0 ? opts : pulumi.mergeOptions(opts, { additionalSecretOutputs: secrets });
  return [type, name, properties, options];
}

/**
 * Sets `Error.stackTraceLimit` to 0. Otherwise the SDK records a stack trace for every promise of every output. With
 * hundreds of resources, the recording takes a fifth of the run's time. The SDK still records which line of the program
 * makes the resource, because the SDK sets a different limit for this one stack trace.
 * @returns a function that restores the limit. Call it after the resource is made.
 */
export function pauseStackTraces(): () => void {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  return () => {
    Error.stackTraceLimit = stackTraceLimit;
  };
}

/** Returns true for a resource of this definition, also if another copy of this package has made it. */
export function isResourceOfDefinition(value: unknown, definition: ResourceDefinition): boolean {
  return pulumi.Resource.isInstance(value) && "__pulumiType" in value && value.__pulumiType === typeOf(definition);
}
