import * as pulumi from "@pulumi/pulumi";

/** Lets a test make resources without an engine: each has what it was given, and the outputs told here. */
export function mockOutputs(outputs: Readonly<Record<string, unknown>>): Promise<void> {
  return pulumi.runtime.setMocks({
    newResource: ({ name, inputs }) => ({ id: `${name}-id`, state: { ...inputs, ...outputs } }),
    call: ({ inputs }) => inputs,
  });
}

/** The value of an output once it is known. */
export function known<T>(output: pulumi.Output<T>): Promise<T> {
  return new Promise((resolve) => output.apply((value) => resolve(value as T)));
}
