import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { unknown } from "../../../../../provider/definitions/values";
import {
  encodeDynamicValue,
  fromTerraformValue,
  readValue,
  toTerraformValue,
} from "../../../../../provider/hosts/terraform/values";
import { terraformMethods } from "../../../../../provider/hosts/terraform/wire/messages";

describe("a message of Terraform's protocol", () => {
  const { request, response } = terraformMethods.PlanResourceChange;

  it("is read as it was written, with lists, maps and bytes", () => {
    const asked = { typeName: "x", priorState: { msgpack: Buffer.of(0xc0) }, priorPrivate: Buffer.of(1, 2) };
    expect(request.decode(request.encode(asked))).toEqual(asked);
    const answered = {
      requiresReplace: [{ steps: [{ attributeName: "job_id" }] }, { steps: [{ attributeName: "domain" }] }],
      diagnostics: [{ severity: 2, summary: "å", detail: "" }],
    };
    expect(response.decode(response.encode(answered))).toEqual(answered);
    const { response: schema } = terraformMethods.GetProviderSchema;
    const described = {
      resourceSchemas: { a: { block: { description: "b" } }, c: {} },
      serverCapabilities: { planDestroy: true },
    };
    expect(schema.decode(schema.encode(described))).toEqual(described);
  });

  it("may have fields of a later version, which are skipped", () => {
    const { response: later } = terraformMethods.ImportResourceState;
    const { request: asked } = terraformMethods.ImportResourceState;
    const encoded = Buffer.concat([
      later.encode({ diagnostics: [{ summary: "as field 2" }] }),
      asked.encode({ typeName: "x" }),
    ]);
    expect(terraformMethods.GetProviderSchema.request.decode(encoded)).toEqual({});
  });
});

describe("a value of Terraform", () => {
  it("is read as it was written, of any type, with what is not known in it", () => {
    const value = { text: "å", none: null, on: true, many: [1, -2, 2.5, 1e9], unknown: unknown, inner: { unknown } };
    expect(readValue(encodeDynamicValue(value))).toEqual(value);
  });

  // No value has the key `__proto__`, because the provider refuses this key.
  const jsonValues = fc.jsonValue({ maxDepth: 3 }).filter((value) => !JSON.stringify(value).includes('"__proto__":'));

  it("comes after its type if the type is dynamic, and any JSON value has a type", () => {
    fc.assert(
      fc.property(jsonValues, (value) => {
        const written = readValue(encodeDynamicValue(toTerraformValue("dynamic", value)));
        expect(fromTerraformValue("dynamic", written, "triggers") ?? null).toEqual(JSON.parse(JSON.stringify(value)));
      }),
      { numRuns: 200 },
    );
  });

  it.each<[unknown, unknown]>([
    ["0.1", 0.1],
    [1000n, 1000],
    ["-0.30000000000000004", -0.30000000000000004],
    [`1${"0".repeat(300)}`, 1e300],
    [`0.${"0".repeat(323)}5`, 5e-324],
  ])("of the type number is a 64-bit number if that has the same digits: %s", (written, expected) => {
    expect(fromTerraformValue("number", written, "triggers")).toBe(expected);
  });

  it("is refused by the path of a number that would not come back as it was", () => {
    const digits = fc.tuple(fc.bigInt({ min: 1n }), fc.nat({ max: 30 })).map(([whole, point]) =>
      String(whole)
        .padStart(point + 1, "0")
        .replace(new RegExp(`(?=.{${point}}$)`), "."),
    );
    const lost = fc.oneof(
      fc.bigInt({ min: 2n ** 53n, max: 2n ** 64n }).map((whole) => whole | 1n),
      digits.map((text) => `${text}${"3".repeat(20)}`),
      fc.nat({ max: 200_000 }).map((zeros) => `1${"0".repeat(zeros + 310)}`),
      fc.nat({ max: 200_000 }).map((zeros) => `0.${"0".repeat(zeros + 330)}1`),
    );
    fc.assert(
      fc.property(lost, fc.nat({ max: 3 }), (number, index) => {
        const items = Array.from({ length: index + 1 }, (_, at) => (at === index ? number : 1));
        const nested = { a: { b: items } };
        const nestedType = ["object", { a: ["object", { b: ["list", "number"] }] }];
        const read = () => fromTerraformValue("dynamic", [Buffer.from(JSON.stringify(nestedType)), nested], "triggers");
        expect(read).toThrow(`DOCS_CONFIGURATION: triggers.a.b[${index}] has a number with more digits`);
      }),
      { numRuns: 100 },
    );
  });

  it("that is an object has every member of its type, and those that are null are none for the engine", () => {
    const source = ["object", { repository: "string", ref: "string" }];
    expect(toTerraformValue(source, { repository: "r" })).toEqual({ repository: "r", ref: null });
    expect(fromTerraformValue(source, { repository: "r", ref: null }, "source")).toEqual({ repository: "r" });
  });

  it("is unknown also where Terraform knows a part of it already", () => {
    // Newer versions of Terraform refine an unknown value. Here the refinement is a map that means "not null".
    const refined = Buffer.of(0x81, 0xa1, 0x61, 0xc7, 0x03, 0x0c, 0x81, 0x01, 0xc2);
    expect(readValue({ msgpack: refined })).toEqual({ a: unknown });
  });
});
