import type * as pulumi from "@pulumi/pulumi";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { defineResource } from "../../../../../provider/definitions/definition";
import { anyValueRule } from "../../../../../provider/definitions/rules";
import { unknown } from "../../../../../provider/definitions/values";
import { dynamicProvider } from "../../../../../provider/hosts/dynamic/dynamicProvider";
import type { Lifecycle } from "../../../../../provider/resources/lifecycle";
import { bindLifecycle, type Resource } from "../../../../../provider/resources/resource";
import { ConflictError } from "../../../../../provider/support/errors";
import { rejection, testKey } from "../../../../support/clientUnderTest";

const guid = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
const host = { __provider: "the text", __urn: "urn:pulumi:dev::p::t::n" };
const reason = () => new ConflictError({ happened: `no ${testKey}`, remedy: "mend it." });

const unchanged = { replaces: [], update: false, changingOutputs: [] };

type Fake = Lifecycle<Record<string, unknown>, Record<string, unknown>>;

function provide(methods: Partial<Fake>, facts: Partial<Resource> = {}) {
  const nothing: Fake = {
    decide: () => unchanged,
    create: async () => ({ id: "1", state: {} }),
    read: async () => undefined,
    update: async (id) => ({ id, state: {} }),
  };
  const resource = bindLifecycle(defineResource({ name: "Fake", fields: {} }), { ...nothing, ...methods });
  return dynamicProvider({ ...resource, ...facts });
}

const configured = (values: Record<string, string>): pulumi.dynamic.ConfigureRequest => ({
  config: { get: (key: string) => values[key], require: (key: string) => values[key] ?? "" },
});

beforeEach(() => {
  vi.unstubAllEnvs();
  vi.stubEnv("DOCS_PLATFORM_API_KEY", testKey);
  vi.stubEnv("DOCS_PLATFORM_BASE_URL", "https://api.example.com");
});

describe("configure", () => {
  it("is done before it returns, since the engine's host does not wait for it", async () => {
    vi.unstubAllEnvs();
    const provider = provide({});
    const values = { "docs-platform:apiKey": testKey, "docs-platform:baseUrl": "https://api.example.com" };
    const done = provider.configure(configured(values));
    const checked = provider.check({}, {});
    expect((await checked).failures).toEqual([]);
    await done;
  });
});

describe("check", () => {
  it("gives the host's own keys back untouched, and what is not known yet as the engine writes it", async () => {
    const seen: unknown[] = [];
    const fill = (inputs: object) => {
      seen.push(inputs);
      return unknown;
    };
    const provider = provide({}, { inputs: { version: { rule: anyValueRule, onChange: "none", fill } } });
    const { inputs } = await provider.check({}, { ...host, jobId: guid, n: { deep: [guid] } });
    expect(seen).toEqual([{ jobId: unknown, n: { deep: [unknown] } }]);
    expect(inputs).toEqual({ ...host, jobId: guid, n: { deep: [guid] }, version: guid });
  });
});

describe("diff", () => {
  it.each([
    [unchanged, { changes: false, replaces: [] }],
    [
      { ...unchanged, update: true, changingOutputs: ["status"] },
      { changes: true, replaces: [] },
    ],
    [
      { ...unchanged, replaces: ["domain"] },
      { changes: true, replaces: ["domain"] },
    ],
  ])("%j is reported as %j, without a setting", async (decision, told) => {
    vi.unstubAllEnvs();
    vi.stubEnv("DOCS_PLATFORM_API_KEY", "");
    expect(await provide({ decide: () => decision }).diff("1", host, host)).toEqual(told);
  });

  it("asks the resource of what a preview does not know, and never of what the engine asks beside", async () => {
    const urn = "urn:pulumi:dev::p::t::asked";
    const provider = provide({ decide: () => ({ ...unchanged, replaces: ["jobId"] }) });
    const diff = () => provider.diff("1", { ...host, jobId: "job-1" }, { ...host, __urn: urn, jobId: guid });
    expect(await diff()).toEqual({ changes: false, replaces: [] });
    await provider.check({}, { ...host, __urn: urn, jobId: guid });
    expect(await diff()).toEqual({ changes: true, replaces: ["jobId"] });
  });

  it("never shows the host's own keys to the resource: another text of the provider is no change", async () => {
    const provider = provide({
      decide: (state, inputs) => ({ ...unchanged, replaces: [...Object.keys(state), ...Object.keys(inputs)] }),
    });
    expect((await provider.diff("1", { ...host, a: 1 }, { ...host, __provider: "other", b: 2 })).replaces).toEqual([
      "a",
      "b",
    ]);
  });
});

describe("results are JSON-clean, or the engine's host would throw after the job was started", () => {
  const state = Object.freeze({ a: undefined, n: Object.freeze({ b: undefined, c: [1] }) });
  const clean = { n: { c: [1] } };
  const isClean = (value: unknown) => {
    expect(JSON.parse(JSON.stringify(value))).toStrictEqual(value);
    return value;
  };

  it("create, update and read", async () => {
    const provider = provide({
      create: async () => ({ id: "1", state }),
      update: async (id) => ({ id, state }),
      read: async () => state,
    });
    expect(isClean(await provider.create(host))).toEqual({ id: "1", outs: clean });
    expect(isClean(await provider.update("1", host, host))).toEqual({ outs: clean });
    expect(isClean(await provider.read("1", host))).toEqual({ id: "1", props: clean });
    expect(await provide({}).read("1", undefined)).toEqual({});
    expect(await provider.delete("1", host)).toBeUndefined();
  });

  it("the properties of a failure too, with or without the text of the provider", async () => {
    const failing = async () => ({ id: "1", state, problem: reason() });
    const provider = provide({ create: failing, update: failing });
    const { __provider, ...without } = host;
    expect(isClean(Reflect.get(await rejection(provider.create(host)), "properties"))).toEqual({
      ...clean,
      __provider,
    });
    expect(isClean(Reflect.get(await rejection(provider.create(without)), "properties"))).toEqual(clean);
  });
});

describe("a failure", () => {
  it("has the id, the properties with __provider and the reasons if a create or an update is partial", async () => {
    const failing = async () => ({ id: "job-1", state: { jobId: "job-1", status: "running" }, problem: reason() });
    const provider = provide({ create: failing, update: failing });
    const message = reason().message;
    for (const error of [
      await rejection(provider.create(host)),
      await rejection(provider.update("job-1", host, host)),
    ]) {
      expect(error).toMatchObject({
        message,
        id: "job-1",
        properties: { jobId: "job-1", status: "running", __provider: "the text" },
        reasons: [message],
      });
      expect(message).not.toContain(testKey);
    }
  });

  it("has no id if the create or the update has left nothing behind", async () => {
    for (const thrown of [reason(), new TypeError(`fault ${testKey}`)]) {
      const failing = async () => {
        throw thrown;
      };
      const provider = provide({ create: failing, update: failing });
      for (const error of [await rejection(provider.create(host)), await rejection(provider.update("1", host, host))]) {
        expect(error).not.toHaveProperty("id");
        expect(error.message).toMatch(/^DOCS_(CONFLICT|INTERNAL): /);
        expect(error.message).not.toContain(testKey);
      }
    }
  });

  it("shows each line once and no stack if a read fails, as the engine's host prints it", async () => {
    for (const thrown of [reason().withOutcome({ exists: "a job.", nextRun: "goes on." }), new TypeError("fault")]) {
      const provider = provide({
        read: async () => {
          throw thrown;
        },
      });
      const error = await rejection(provider.read("1", host));
      const printed = `${error}: ${error.stack}`;
      expect(printed).not.toContain("    at ");
      expect(printed.match(/DOCS_/g)).toHaveLength(1);
      expect(printed.match(/What to do:/g)).toHaveLength(1);
      expect(printed).not.toContain(testKey);
    }
  });
});

describe("what is replaced", () => {
  async function earlierOf(decide: Fake["decide"], urn: string): Promise<unknown> {
    const seen: unknown[] = [];
    const provider = provide({
      decide,
      create: async (_, __, earlier) => {
        seen.push(earlier);
        return { id: "2", state: {} };
      },
    });
    await provider.diff("1", { ...host, domain: "a.test" }, { ...host, domain: "b.test" });
    await provider.create({ ...host, __urn: urn, domain: "b.test" });
    return seen[0];
  }

  it("is handed from diff to the create that follows, by the resource's name", async () => {
    const replace = () => ({ ...unchanged, replaces: ["domain"] });
    expect(await earlierOf(replace, host.__urn)).toEqual({ domain: "a.test" });
    expect(await earlierOf(replace, "urn:pulumi:dev::p::t::another")).toBeUndefined();
  });

  it("is handed on also where diff asks for an update, of which the engine makes a replacement (replaceOnChanges)", async () => {
    expect(await earlierOf(() => ({ ...unchanged, update: true }), host.__urn)).toEqual({ domain: "a.test" });
    expect(await earlierOf(() => unchanged, host.__urn)).toBeUndefined();
  });
});
