import * as pulumi from "@pulumi/pulumi";

/** Lets a test create resources without an engine. Each resource gets its own inputs and these outputs. */
export function mockOutputs(outputs: Readonly<Record<string, unknown>>): Promise<void> {
  return pulumi.runtime.setMocks({
    newResource: ({ name, inputs }) => ({ id: `${name}-id`, state: { ...inputs, ...outputs } }),
    call: ({ inputs }) => inputs,
  });
}

export function known<T>(output: pulumi.Output<T>): Promise<T> {
  return new Promise((resolve) => output.apply((value) => resolve(value as T)));
}
