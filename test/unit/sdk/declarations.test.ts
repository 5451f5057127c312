import type * as pulumi from "@pulumi/pulumi";
import { expectTypeOf, it } from "vitest";
import type { agentMessageDefinition } from "../../../provider/definitions/agentMessage";
import type { bundleMirrorDefinition } from "../../../provider/definitions/bundleMirror";
import type { StateOf } from "../../../provider/definitions/definition";
import type { exportBundleDefinition } from "../../../provider/definitions/exportBundle";
import type { InputsAcceptedBy } from "../../../provider/definitions/rules";
import type { staticExportDefinition } from "../../../provider/definitions/staticExport";
import type * as sdk from "../../../sdk";

type Definition = { readonly fields: object };

/** The fields that a program must set. All other fields have a default or may be missing. */
type Mandatory<Fields> = {
  [Name in keyof Fields]: Fields[Name] extends { required: true; fill: unknown }
    ? never
    : Fields[Name] extends { required: true }
      ? Name
      : never;
}[keyof Fields];

type Inputs<Of extends Definition> = InputsAcceptedBy<Of["fields"]>;

/** The type that the arguments of a class must have, made from the class's definition. */
type ArgsOf<Of extends Definition> = {
  [Name in keyof Inputs<Of> & Mandatory<Of["fields"]>]: pulumi.Input<Inputs<Of>[Name]>;
} & {
  [Name in Exclude<keyof Inputs<Of>, Mandatory<Of["fields"]>>]?:
    | pulumi.Input<Exclude<Inputs<Of>[Name], undefined>>
    | undefined;
};

/** The outputs of a class, with the type of each known value. */
type Declared<Resource> = {
  [Name in Exclude<keyof Resource, keyof pulumi.CustomResource>]: pulumi.Unwrap<Resource[Name]>;
};

type OutputName<Fields> = {
  [Name in keyof Fields]: Name extends `__${string}` ? never : Fields[Name] extends { state: unknown } ? Name : never;
}[keyof Fields];

/** Outputs that the class or the definition lacks, and outputs whose declared type does not fit every value. */
type Mismatch<Resource, Of extends Definition> =
  | Exclude<OutputName<Of["fields"]>, keyof Declared<Resource>>
  | Exclude<keyof Declared<Resource>, keyof StateOf<Of["fields"]>>
  | {
      [Name in keyof Declared<Resource> & keyof StateOf<Of["fields"]>]: Exclude<
        StateOf<Of["fields"]>[Name],
        undefined
      > extends Declared<Resource>[Name]
        ? never
        : Name;
    }[keyof Declared<Resource> & keyof StateOf<Of["fields"]>];

// The tests contain only types, which the compiler checks in `npm run check`.
it("the arguments of each class are the inputs of its definition", () => {
  expectTypeOf<sdk.ExportBundleArgs>().branded.toEqualTypeOf<ArgsOf<typeof exportBundleDefinition>>();
  expectTypeOf<sdk.BundleMirrorArgs>().branded.toEqualTypeOf<ArgsOf<typeof bundleMirrorDefinition>>();
  expectTypeOf<sdk.AgentMessageArgs>().branded.toEqualTypeOf<ArgsOf<typeof agentMessageDefinition>>();
  // The type of `exportOptions` in the SDK allows any value, so this input is not compared.
  type Export = ArgsOf<typeof staticExportDefinition>;
  expectTypeOf<keyof sdk.StaticExportArgs>().toEqualTypeOf<keyof Export>();
  expectTypeOf<Omit<sdk.StaticExportArgs, "exportOptions">>().branded.toEqualTypeOf<Omit<Export, "exportOptions">>();
});

it("the outputs of each class are those of its definition, with types that every value of the state has", () => {
  expectTypeOf<Mismatch<sdk.StaticExport, typeof staticExportDefinition>>().toBeNever();
  expectTypeOf<Mismatch<sdk.ExportBundle, typeof exportBundleDefinition>>().toBeNever();
  expectTypeOf<Mismatch<sdk.BundleMirror, typeof bundleMirrorDefinition>>().toBeNever();
  expectTypeOf<Mismatch<sdk.AgentMessage, typeof agentMessageDefinition>>().toBeNever();
});
