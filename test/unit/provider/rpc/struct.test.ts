import fc from "fast-check";
import { expect, it } from "vitest";
import { defineMessage } from "../../../../provider/rpc/protobuf";
import { structField } from "../../../../provider/rpc/struct";
import { messages, Struct } from "../../../support/protocol/messages";

const kind = defineMessage({ inputs: structField(1) });
/** Encodes the inputs with the library of the SDK's messages. */
const theirs = (inputs: object) =>
  new messages.CheckResponse().setInputs(Struct.fromJavaScript({ ...inputs })).serializeBinary();

it("a Struct is read and written as the SDK does it, for whatever JSON", () => {
  const number = fc.oneof(
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((each) => each + 0),
  );
  const leaf = fc.oneof(fc.string({ unit: "binary" }), number, fc.boolean(), fc.constant(null));
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof({ maxDepth: 4 }, leaf, fc.array(tie("tree")), fc.dictionary(fc.string(), tie("tree"))),
  }));
  fc.assert(
    fc.property(fc.dictionary(fc.string(), tree), (value) => {
      const text = JSON.stringify(value);
      // The library of the SDK's messages cannot encode this name, because it treats the name as a prototype.
      fc.pre(!text.includes("__proto__"));
      const sent = JSON.parse(text);
      expect(kind.decode(theirs(sent)).inputs).toEqual(sent);
      const read = messages.CheckResponse.deserializeBinary(kind.encode({ inputs: sent })).getInputs();
      expect(read?.toJavaScript()).toEqual(sent);
    }),
    { numRuns: 100, seed: 32 },
  );
});

it("a Struct leaves out what is undefined, and keeps a member by the name __proto__", () => {
  const inputs = JSON.parse('{"__proto__":{"a":1}}');
  expect(kind.decode(kind.encode({ inputs: { ...inputs, b: undefined } })).inputs).toEqual(inputs);
});
