import { beforeEach, describe, expect, it } from "vitest";
import { defineResource } from "../../../../provider/definitions/definition";
import { isText } from "../../../../provider/definitions/guards";
import { anyValueRule, identifierRule } from "../../../../provider/definitions/rules";
import { unknown } from "../../../../provider/definitions/values";
import { create, deleteResource, update } from "../../../../provider/engine/apply";
import { computePlannedState, plan } from "../../../../provider/engine/plan";
import { importById, read } from "../../../../provider/engine/read";
import type { Lifecycle } from "../../../../provider/resources/lifecycle";
import { bindLifecycle } from "../../../../provider/resources/resource";
import { CheckedSettings } from "../../../../provider/settings/settings";
import { rejection } from "../../../support/clientUnderTest";
import { TestSession } from "../../../support/testSession";

interface Inputs {
  jobId: string;
  label?: unknown;
}

interface State extends Inputs {
  status: string;
}

const seen: unknown[] = [];
const lifecycle: Lifecycle<Inputs, State> = {
  decide: (state, _, { replacing }) => ({
    replaces: replacing,
    update: state.status !== "completed",
    changingOutputs: "all",
  }),
  create: async (inputs, _, earlier) => {
    seen.push(earlier);
    return { id: "1", state: { ...inputs, status: "completed" } };
  },
  read: async (id, state) => (id === "gone" ? undefined : { jobId: id, ...state, status: "completed" }),
  update: async (id, state, inputs) => ({ id, state: { ...state, ...inputs, status: "completed" } }),
};

const definition = defineResource({
  name: "Thing",
  fields: {
    jobId: {
      rule: identifierRule,
      required: true,
      onChange: "replace",
      inId: true,
      ofPlatform: "the job",
    },
    label: { rule: anyValueRule, onChange: "replace", label: true },
    status: { state: isText },
  },
});

const define = (methods: Partial<Lifecycle<Inputs, State>> = {}) =>
  bindLifecycle(definition, { ...lifecycle, ...methods });

const thing = define();
const inputs = { jobId: "job-1", label: "x" };
const state = { ...inputs, status: "completed" };

let session: TestSession;
const settings = new CheckedSettings({});
const operation = () => ({ settings, id: "job-1", state, inputs });

beforeEach(() => {
  session = new TestSession();
  seen.length = 0;
});

describe("a plan", () => {
  it("is none, an update or a replacement, which names what makes it necessary", () => {
    expect(plan(thing, operation(), session)).toMatchObject({ action: "none", changingOutputs: ["status"] });
    const running = { ...operation(), state: { ...state, status: "running" } };
    expect(plan(thing, running, session)).toMatchObject({ action: "update", replaces: [] });
    const other = { ...running, inputs: { ...inputs, label: unknown } };
    expect(plan(thing, other, session)).toMatchObject({ action: "replace", replaces: ["label"] });
  });

  it("keeps what is of another platform, and warns of it", () => {
    const environment = { DOCS_PLATFORM_API_KEY: "svc_0123456789", DOCS_PLATFORM_BASE_URL: "https://new.test" };
    const there = {
      ...operation(),
      settings: new CheckedSettings({ environment }),
      state: { ...state, __origin: "https://old.test" },
    };
    expect(plan(thing, there, session)).toMatchObject({ action: "none" });
    expect(session.warnings).toEqual([
      expect.stringContaining("the job job-1 was of https://old.test, and the base URL is of https://new.test"),
    ]);
  });

  it("shows the state after an update: what stays, without an input that was removed", () => {
    const before = { ...state, __own: 1 };
    expect(computePlannedState(thing, { state: before, inputs: { jobId: "job-1" } }, session)).toEqual({
      jobId: "job-1",
      status: unknown,
      __own: 1,
    });
  });
});

describe("what is imported by its id alone", () => {
  const imported = async () => {
    const { label: _, ...found } = state;
    const result = await importById(thing, { ...operation(), id: "job-1" }, session);
    expect(result).toEqual({ state: { ...found, __imported: true }, inputs: { jobId: "job-1" } });
    return result?.state ?? {};
  };

  it("gets from the program in the next run what no import could read, and replaces nothing for it", async () => {
    const before = await imported();
    expect(plan(thing, { ...operation(), state: before }, session)).toMatchObject({ action: "update", replaces: [] });
    expect(await update(thing, { ...operation(), state: before }, session)).toEqual({ id: "job-1", state });
  });

  it("is still so after a refresh, and is then as any other", async () => {
    const before = await imported();
    expect(await read(thing, { ...operation(), state: before }, session)).toEqual(before);
    expect(await read(thing, operation(), session)).toEqual(state);
  });
});

describe("what is applied", () => {
  it("keeps the rules: inputs that no check has seen are refused", async () => {
    const error = await rejection(create(thing, { ...operation(), inputs: { jobId: ".." } }, session));
    expect(error.message).toMatch(/^DOCS_INTERNAL: .*jobId must not be "\.\."/);
  });

  it("is removed, unless a create of this run has taken it up again instead of a new one", async () => {
    session.starts.continued.add("job-1");
    expect((await rejection(deleteResource(thing, operation(), session))).message).toContain("DOCS_JOURNAL");
    expect(await deleteResource(thing, operation(), session)).toBeUndefined();
  });
});

it.each(["answered", "noted"])(
  "a session ends when what it has sent is answered, and what it has seen is noted: last %s",
  async (last) => {
    const start = {};
    const seen = Promise.withResolvers<void>();
    session.sent(start);
    session.note(seen.promise);
    let hasEnded = false;
    const ended = session.end().then(() => {
      hasEnded = true;
    });
    const steps = [() => session.answered(start), () => seen.resolve()];
    for (const step of last === "noted" ? steps : steps.reverse()) {
      await new Promise((resolve) => setImmediate(resolve));
      expect(hasEnded).toBe(false);
      step();
    }
    await ended;
  },
);
