import * as pulumi from "@pulumi/pulumi";
import { beforeAll, describe, expect, it } from "vitest";
import { resources } from "../../../provider/resources/index";
import { classes } from "./classes";
import { known, mockOutputs } from "./mocked";

beforeAll(() => mockOutputs({}));

it("the SDK has a class for each resource, and no other", () => {
  expect(Object.keys(classes).toSorted()).toEqual(Object.keys(resources).toSorted());
});

describe.each(Object.entries(classes))("%s.isInstance", (kind, Class) => {
  it("is true for its own kind and for no other", () => {
    const made = new Class("docs", {});
    for (const [name, { isInstance }] of Object.entries(classes)) {
      expect(isInstance(made)).toBe(name === kind);
    }
  });

  it("is true for one of another copy of this package: the type decides, not the class", () => {
    class Twin extends pulumi.CustomResource {}
    expect(Class.isInstance(new Twin(`pulumi-nodejs:dynamic/docs-platform:${kind}`, "twin"))).toBe(true);
    expect(Class.isInstance(new Twin(`docs:index:${kind}`, "other"))).toBe(false);
  });

  it("is false for what is no resource", () => {
    const imitation = { __pulumiType: `pulumi-nodejs:dynamic/docs-platform:${kind}` };
    for (const value of [undefined, null, 1, kind, {}, imitation, Class]) {
      expect(Class.isInstance(value)).toBe(false);
    }
  });

  it("keeps the caller's options", async () => {
    const parent = new Class("parent", {});
    expect(await known(new Class("child", {}, { parent }).urn)).toContain(`${kind}$`);
  });
});

it.each(["ExportBundle", "BundleMirror"])("%s has no static get, which would mint a link", (name) => {
  expect(Object.hasOwn(classes[name] ?? {}, "get")).toBe(false);
});
