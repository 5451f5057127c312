import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type RawValues, unknown } from "../../../../provider/definitions/values";
import { check } from "../../../../provider/engine/check";
import { pluginMethods } from "../../../../provider/hosts/plugin/messages";
import { type ResourceTypeName, resources } from "../../../../provider/resources/index";
import type { Resource } from "../../../../provider/resources/resource";
import { maxRequestBytes } from "../../../../provider/rpc/rpcServer";
import { CheckedSettings } from "../../../../provider/settings/settings";
import { checked } from "../../../support/decisions";

const good: Readonly<Record<string, readonly unknown[]>> = {
  domain: ["docs.example.com", "docs.example.org"],
  triggers: [1, "r1", { a: [unknown] }, []],
  jobId: ["job-1", "job-2"],
  waitTimeout: ["30m"],
  renewBefore: ["0", "1h"],
  verifyLink: [true, false],
  destination: ["file:///srv/docs"],
  expectedSha256: ["a".repeat(64)],
  layout: ["archive", "site"],
  publicUrl: ["https://cdn.example.com"],
  prompt: ["Go on."],
  projectId: ["docs"],
  waitForCompletion: [true],
};

/** Generates inputs. With `ignoreChanges`, the engine also passes `version`, which an earlier check has filled in. */
const drawn = fc.record(
  {
    ...Object.fromEntries(
      Object.entries(good).map(([name, values]) => [
        name,
        fc.oneof(
          { arbitrary: fc.constantFrom(...values), weight: 8 },
          fc.constantFrom<unknown>(unknown, null, undefined, 7, " "),
        ),
      ]),
    ),
    version: fc.constantFrom<unknown>("job-1", "v2", unknown, null),
  },
  { requiredKeys: [] },
);

describe.each(Object.keys(resources) as ResourceTypeName[])("check of %s", (name) => {
  const { inputs: fields, copies } = resources[name];
  it("accepts what it has filled in itself, as the engine hands it back with ignoreChanges", () => {
    let taken = 0;
    fc.assert(
      fc.property(drawn, fc.constantFrom(undefined, "of-the-setting"), (all: RawValues, projectId) => {
        const inputs = Object.fromEntries(
          Object.entries(all).filter(([key]) => Object.hasOwn(fields, key) || Object.hasOwn(copies, key)),
        );
        const once = checked(name, inputs, projectId);
        const twice = checked(name, once.inputs, projectId);
        expect(twice.inputs).toStrictEqual(once.inputs);
        if (once.failures.length === 0) {
          taken += 1;
          expect(twice.failures).toEqual([]);
        }
      }),
      { numRuns: 1_000, seed: 4 },
    );
    expect(taken).toBeGreaterThan(50);
  });
});

/** A list of numbers grows most in the encoding: each number has two bytes in JSON, and eleven bytes encoded. */
const numbers = (bytes: number) => Array<number>(Math.floor(bytes / 2)).fill(1);

it.each<[ResourceTypeName, RawValues, Record<string, (bytes: number) => unknown>]>([
  ["StaticExport", { domain: "a.test" }, { triggers: numbers, exportOptions: (bytes) => ({ a: numbers(bytes - 6) }) }],
  [
    "AgentMessage",
    { jobId: "job-1", projectId: "docs" },
    { triggers: numbers, prompt: (bytes) => "x".repeat(bytes - 2) },
  ],
])("the inputs of %s that a check accepts fit into every later request", (name, others, large) => {
  const inputsOf = (bytes: number) =>
    Object.fromEntries(Object.entries(large).map(([property, make]) => [property, make(bytes)]));
  const accepted = { ...others, ...inputsOf(256 * 1024 - 1) };
  expect(checked(name, accepted, undefined).failures).toEqual([]);
  // An update, the largest request, contains the inputs three times. This delete request contains them once.
  const encoded = pluginMethods.Delete.request.encode({ id: "1", urn: "urn", properties: accepted });
  expect(3 * encoded.length).toBeLessThan(maxRequestBytes);
  for (const [property, value] of Object.entries(inputsOf(256 * 1024 + 1))) {
    const { failures } = checked(name, { ...accepted, [property]: value }, undefined);
    expect(failures).toEqual([{ property: "", reason: expect.stringMatching(`^${property} is larger than 256 KiB`) }]);
  }
});

it("a secret that would stand in an id is refused, with the settings' problems beside it", () => {
  const settings = new CheckedSettings({});
  const secrets = new Set(["jobId"]);
  const checked = check(resources.ExportBundle as Resource, { jobId: "job-1" }, settings, { secrets });
  expect(checked.failures).toEqual([
    { property: "", reason: expect.stringMatching(/^jobId is secret, but it is part of the resource's id/) },
  ]);
  expect(checked.settingFailures).toEqual([
    { property: "", reason: expect.stringContaining("the setting baseUrl is missing") },
  ]);
});
