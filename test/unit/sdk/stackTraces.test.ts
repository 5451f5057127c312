import { beforeAll, describe, expect, it } from "vitest";
import { AgentMessage, BundleMirror, ExportBundle, StaticExport } from "../../../sdk";
import { mockOutputs } from "./mocked";

beforeAll(() => mockOutputs({}));

const make: Record<string, (name: string) => unknown> = {
  StaticExport: (name) => new StaticExport(name, { domain: "docs.example.com" }),
  ExportBundle: (name) => new ExportBundle(name, { jobId: "job-1" }),
  BundleMirror: (name) => new BundleMirror(name, { jobId: "job-1", destination: "file:///docs" }),
  AgentMessage: (name) => new AgentMessage(name, { jobId: "agent-1", prompt: "Go on." }),
};

describe.each(Object.keys(make))("%s", (kind) => {
  it("leaves the stack traces of the program as they were, also where it cannot be made", () => {
    const before = Error.stackTraceLimit;
    make[kind]?.("docs");
    expect(Error.stackTraceLimit).toBe(before);
    expect(() => make[kind]?.("")).toThrow("name");
    expect(Error.stackTraceLimit).toBe(before);
  });
});
