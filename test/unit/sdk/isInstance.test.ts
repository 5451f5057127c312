import * as pulumi from "@pulumi/pulumi";
import { beforeAll, describe, expect, it } from "vitest";
import { AgentMessage, ExportBundle, StaticExport } from "../../../sdk";
import { mockOutputs } from "./mocked";

beforeAll(() => mockOutputs({}));

const kinds = { StaticExport, ExportBundle, AgentMessage };
type Kind = keyof typeof kinds;

const make = {
  StaticExport: () => new StaticExport("site", { domain: "docs.example.com" }),
  ExportBundle: () => new ExportBundle("bundle", { jobId: "job-1" }),
  AgentMessage: () => new AgentMessage("message", { jobId: "agent-1", prompt: "Go on." }),
};

describe.each(Object.keys(kinds) as Kind[])("%s.isInstance", (kind) => {
  it("is true for its own kind and for no other", () => {
    for (const [name, { isInstance }] of Object.entries(kinds)) {
      expect(isInstance(make[kind]())).toBe(name === kind);
    }
  });

  it("is true for one of another copy of this package: the type decides, not the class", () => {
    class Twin extends pulumi.CustomResource {}
    expect(kinds[kind].isInstance(new Twin(`pulumi-nodejs:dynamic/docs-platform:${kind}`, "twin"))).toBe(true);
    expect(kinds[kind].isInstance(new Twin(`docs:index:${kind}`, "other"))).toBe(false);
  });

  it("is false for what is no resource", () => {
    const imitation = { __pulumiType: `pulumi-nodejs:dynamic/docs-platform:${kind}` };
    for (const value of [undefined, null, 1, kind, {}, imitation, kinds[kind]]) {
      expect(kinds[kind].isInstance(value)).toBe(false);
    }
  });
});
