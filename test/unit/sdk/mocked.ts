import * as pulumi from "@pulumi/pulumi";

/** Lets a test create resources without an engine. The outputs of each resource are its inputs and `outputs`. */
export function mockOutputs(outputs: Readonly<Record<string, unknown>>): Promise<void> {
  return pulumi.runtime.setMocks({
    newResource: ({ name, inputs }) => ({ id: `${name}-id`, state: { ...inputs, ...outputs } }),
    call: ({ inputs }) => inputs,
  });
}

export function known<T>(output: pulumi.Output<T>): Promise<T> {
  return new Promise((resolve) => output.apply((value) => resolve(value as T)));
}
