import { type InputFields, validateInputs } from "../../definitions/rules";
import { unknown } from "../../definitions/values";
import { ConfigurationError } from "../../support/errors";
import { mapValues } from "../../support/objects";
import { ownPropertyOf } from "../../support/ownPropertyOf";
import { failureDiagnostics } from "./diagnostics";
import type { BlockSchema } from "./schema";
import { fromTerraformBlock, readBlock } from "./values";
import type { DynamicValue, TerraformResponse } from "./wire/messages";
import { definitionNameOf } from "./words";

/** @throws ConfigurationError if this provider has no such block. */
export function findBlockDefinition<Schema, T>(
  kind: string,
  schemas: Readonly<Record<string, Schema>>,
  definitions: Readonly<Record<string, T>>,
  name = "",
): [schema: Schema, definition: T] {
  const schema = ownPropertyOf(schemas, name);
  const defined = definitionNameOf(name);
  // A data source has the name of its function, without the `get` at the beginning.
  const definition = ownPropertyOf(definitions, defined) ?? ownPropertyOf(definitions, `get${defined}`);
  if (schema === undefined || definition === undefined) {
    throw new ConfigurationError([`there is no ${kind} ${name}`], "use one that this provider has.");
  }
  return [schema, definition];
}

/** Terraform validates before it configures the provider. So an input with a default from a setting may be missing. */
export function validateBlock(
  kind: string,
  schemas: Readonly<Record<string, BlockSchema>>,
  definitions: Readonly<Record<string, { inputs: InputFields }>>,
  { typeName, config }: { typeName?: string | undefined; config?: DynamicValue | undefined },
): TerraformResponse<"ValidateResourceConfig"> {
  const [{ attributes }, { inputs: fields }] = findBlockDefinition(kind, schemas, definitions, typeName);
  const inputs = fromTerraformBlock(attributes, readBlock(config) ?? {});
  const filled = mapValues(fields, (_, { fill }) => fill && unknown);
  const failures = validateInputs(inputs, fields, `this ${kind}`, { ...filled, ...inputs });
  return { diagnostics: failureDiagnostics(failures, attributes) };
}
