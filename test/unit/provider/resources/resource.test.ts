import { describe, expect, it } from "vitest";
import {
  defineResource,
  inputsOfState,
  mergeUpdatableInputs,
  type StateOf,
} from "../../../../provider/definitions/definition";
import { isNumber, isOneOf, isPlainObject, isText, isTrue } from "../../../../provider/definitions/guards";
import {
  booleanRule,
  type InputsAcceptedBy,
  identifierRule,
  oneOf,
  textRule,
} from "../../../../provider/definitions/rules";
import { resources } from "../../../../provider/resources/index";
import type { Lifecycle } from "../../../../provider/resources/lifecycle";
import { bindLifecycle } from "../../../../provider/resources/resource";

const isClock = (value: unknown): value is { machine: string; offset?: number } =>
  isPlainObject(value) && isText(value.machine) && (value.offset === undefined || isNumber(value.offset));

const thing = defineResource({
  name: "Thing",
  fields: {
    id: { rule: identifierRule, required: true, onChange: "replace", inId: true },
    layout: { rule: oneOf("archive", "site"), onChange: "replace", fill: () => "archive" },
    isKept: { rule: booleanRule, onChange: "update" },
    note: { rule: textRule, required: true, onChange: "none", label: true },
    job: { rule: identifierRule, onChange: "replace", state: isText },
    version: { state: isText, copyOf: "id" },
    pin: { state: isText, copyOf: "job" },
    format: { state: isOneOf("tar", "zip") },
    count: { state: isNumber, optional: true, secret: true },
    __differs: { state: isTrue, optional: true },
    __clock: { state: isClock, optional: true },
  },
});

type Inputs = InputsAcceptedBy<typeof thing.fields>;
type State = StateOf<typeof thing.fields>;

const state: State = { id: "1", layout: "site", job: "2", version: "1", pin: "2", format: "tar" };

describe("a definition", () => {
  it("says what a run finds out, what is secret, and what an id and an import go by", () => {
    expect(thing).toMatchObject({
      outputs: ["job", "pin", "format", "count"],
      secrets: ["count"],
      identity: ["id"],
      labels: ["note"],
      importedInputs: ["id", "note"],
      copies: { version: "id", pin: "job" },
      readable: ["job", "version", "pin", "format", "count", "layout", "id", "note"],
    });
    expect(Object.keys(thing.inputs)).toEqual(["id", "layout", "isKept", "note", "job"]);
  });

  it("shows the inputs of a state, and what an update adopts", () => {
    const kept = { ...state, isKept: true, note: "a", __differs: true as const };
    expect(inputsOfState(thing, kept)).toEqual({ id: "1", layout: "site", job: "2", isKept: true, note: "a" });
    const inputs = { id: "other", layout: "archive" as const, note: "b" };
    expect(mergeUpdatableInputs(thing, kept, inputs)).toEqual({ ...state, note: "b", __differs: true });
  });
});

describe("a state that is decoded", () => {
  /** Returns the state as a lifecycle gets it, with decoded fields. */
  function decoded(values: object): unknown {
    let seen: unknown;
    const none = async () => {
      throw new Error("not called");
    };
    const lifecycle: Lifecycle<Inputs, State> = {
      decide(given) {
        seen = given;
        return { replaces: [], update: false, changingOutputs: [] };
      },
      ...{ create: none, read: none, update: none },
    };
    bindLifecycle(thing, lifecycle).decide({ ...values }, {}, { replacing: [], updating: [], assumed: [] }, 0);
    return seen;
  }

  it("keeps what it knows, and what another release may have written", () => {
    const whole = { ...state, count: 2, isKept: false, __differs: true, __clock: { machine: "a", offset: 1 } };
    expect(decoded({ ...whole, __later: [1] })).toEqual({ ...whole, __later: [1] });
  });

  it.each([
    ["id", { ...state, id: 1 }],
    ["format", { ...state, format: undefined }],
    ["layout", { ...state, layout: "tree" }],
  ])("is refused without a good %s, which the error names", (name, values) => {
    expect(() => decoded(values)).toThrow(`the state of a Thing has no valid ${name}`);
  });
});

it.each(Object.values(resources))("every default of $name passes its rule", ({ inputs }) => {
  for (const { rule, default: value } of Object.values(inputs)) {
    expect(value === undefined ? undefined : rule(value)).toBeUndefined();
  }
});
