import { expect, it } from "vitest";
import { anError, testPlatform, testStack } from "../support/engineTest";

it.each([
  ["ExportBundle", "bundle"],
  ["BundleMirror", "copy"],
])(
  "a required input of %s that is undefined, as an output that another stack does not have, is refused by its name",
  async (type, name) => {
    const stack = await testStack(await testPlatform(), { [name]: {} });
    const { code, output, requests } = await stack.up();
    expect(code).toEqual(anError);
    expect(output).toContain(`${type} resource '${name}': property jobId value {<nil>} has a problem: is required`);
    expect(output).not.toMatch(/Unexpected struct type|^ +at /m);
    expect(requests).toEqual([]);
  },
);
