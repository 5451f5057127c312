import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { unknown } from "../../../../../provider/definitions/values";
import { plainValue, readValue, typed, writeValue } from "../../../../../provider/hosts/terraform/values";
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
    expect(readValue(writeValue(value))).toEqual(value);
  });

  it("of the type dynamic stands behind its type, and any JSON value has one", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), (value) => {
        const written = readValue(writeValue(typed("dynamic", value)));
        expect(plainValue("dynamic", written) ?? null).toEqual(JSON.parse(JSON.stringify(value)));
      }),
      { numRuns: 200 },
    );
  });

  it("that is an object has every member of its type, and those that are null are none for the engine", () => {
    const source = ["object", { repository: "string", ref: "string" }];
    expect(typed(source, { repository: "r" })).toEqual({ repository: "r", ref: null });
    expect(plainValue(source, { repository: "r", ref: null })).toEqual({ repository: "r" });
  });

  it("is unknown also where Terraform knows a part of it already", () => {
    // Ext type 12 with a map of refinements: "not null".
    const refined = Buffer.of(0x81, 0xa1, 0x61, 0xc7, 0x03, 0x0c, 0x81, 0x01, 0xc2);
    expect(readValue({ msgpack: refined })).toEqual({ a: unknown });
  });
});
