import { describe, expect, it } from "vitest";
import { resources } from "../../../../provider/definitions/index";
import {
  decode,
  decodePartly,
  isBoolean,
  isListOf,
  isNumber,
  isObjectOf,
  isOneOf,
  isText,
  isTrue,
  optional,
  required,
  type Shape,
} from "../../../../provider/definitions/shape";

interface Thing {
  id: string;
  layout: "archive" | "site";
  count?: number;
  isKept?: boolean;
  __differs?: true;
  __clocks?: { machine: string; offset: number }[];
}

const shape: Shape<Thing> = {
  id: required(isText),
  layout: required(isOneOf("archive", "site")),
  count: optional(isNumber),
  isKept: optional(isBoolean),
  __differs: optional(isTrue),
  __clocks: optional(isListOf(isObjectOf({ machine: required(isText), offset: required(isNumber) }))),
};
const thing = { id: "1", layout: "site" };

describe("a state that is decoded", () => {
  it("keeps what it knows, and what another release may have written", () => {
    const state = { ...thing, count: 2, isKept: false, __differs: true, __clocks: [{ machine: "a", offset: 1 }] };
    expect(decode(shape, { ...state, __later: [1] }, "it")).toEqual({ ...state, __later: [1] });
  });

  it("loses an optional property of another type", () => {
    const wrong = { count: "2", isKept: 1, __differs: false, __clocks: [{ machine: "a" }] };
    expect(decode(shape, { ...thing, ...wrong }, "it")).toEqual(thing);
  });

  it.each([
    ["id", { layout: "site" }],
    ["id", { ...thing, id: 1 }],
    ["layout", { ...thing, layout: "tree" }],
  ])("is refused without a good %s, which the error names", (name, state) => {
    expect(() => decode(shape, state, "the state of a Thing")).toThrow(`the state of a Thing has no valid ${name}`);
  });

  it("may lack anything where only its id is known", () => {
    expect(decodePartly(shape, {})).toEqual({});
    expect(decodePartly(shape, { id: 1, layout: "site" })).toEqual({ layout: "site" });
  });
});

it.each(Object.values(resources))("the state of $name has every input, output and secret", (definition) => {
  const { state, inputs, outputs, secrets = [], identity, labels = [], importedInputs = [] } = definition;
  const names = [...outputs, ...secrets, ...identity, ...labels, ...importedInputs];
  expect(Object.keys(state)).toEqual(expect.arrayContaining([...Object.keys(inputs), ...names]));
});
