import { withoutUnset } from "../../definitions/rules";
import { type RawValues, unknown } from "../../definitions/values";
import { callFunction } from "../../engine/callFunction";
import { ArgumentError, type FunctionDefinition } from "../../functions/function";
import { functions } from "../../functions/index";
import { asDocsPlatformError } from "../../support/errors";
import { mapValues, pickProperties, renameKeys } from "../../support/objects";
import { ownPropertyOf } from "../../support/ownPropertyOf";
import { camelCase, snakeCase } from "../../support/words";
import { findBlockDefinition } from "./definedBlocks";
import { providerSchema } from "./schema";
import type { ConfiguredProvider } from "./terraformSession";
import {
  encodeDynamicValue,
  encodeResultBlock,
  fromTerraformBlock,
  fromTerraformValue,
  readBlock,
  readValue,
  toTerraformValue,
} from "./values";
import type { TerraformRequest, TerraformResponse } from "./wire/messages";

export async function readDataSource(request: TerraformRequest<"ReadDataSource">, provider: ConfiguredProvider) {
  const [{ attributes }, called] = findBlockDefinition(
    "data source",
    providerSchema.dataSources,
    functions,
    request.typeName,
  );
  const block = readBlock(request.config) ?? {};
  const found = await ask(called, fromTerraformBlock(attributes, block), provider);
  return { state: encodeResultBlock(attributes, block, found === unknown ? {} : found) };
}

export async function callProviderFunction(
  { name, arguments: given = [] }: TerraformRequest<"CallFunction">,
  provider: ConfiguredProvider,
): Promise<TerraformResponse<"CallFunction">> {
  try {
    const [{ parameters, returns }, called] = findBlockDefinition(
      "function",
      providerSchema.functions,
      functions,
      name,
    );
    const [value] = parameters.map(({ type, name: path }, index) =>
      fromTerraformValue(type, readValue(given[index]), path),
    );
    const isObject = parameters[0]?.type === "dynamic";
    const args = isObject ? withMembers(value, called) : { [Object.keys(called.inputs)[0] ?? ""]: value };
    const result = await ask(called, args, provider);
    if (result === unknown) {
      return { result: encodeDynamicValue(unknown) };
    }
    // A `dynamic` result contains values for a chart, which needs the original names.
    const named = returns === "dynamic" ? result : renameKeys(result, snakeCase);
    return { result: encodeDynamicValue(toTerraformValue(returns, named)) };
  } catch (error) {
    const text =
      error instanceof ArgumentError
        ? error.message.replace(/\b[a-z]+[A-Z]\w*/g, snakeCase)
        : asDocsPlatformError(error).message;
    return { error: { text } };
  }
}

function ask(called: FunctionDefinition, args: RawValues, { settings, session }: ConfiguredProvider) {
  return callFunction(called, args, { settings: settings(), session });
}

/** If an argument contains a whole resource, only the attributes that the function needs are kept. */
function withMembers(value: unknown, { inputs }: FunctionDefinition): RawValues {
  return mapValues(camelCased(value), (name, member) => {
    const wanted = ownPropertyOf(inputs, name)?.rule.members;
    return wanted === undefined || member === unknown
      ? member
      : pickProperties(camelCased(member), (each) => wanted.includes(each));
  });
}

function camelCased(value: unknown): RawValues {
  return withoutUnset(typeof value === "object" && value !== null ? renameKeys({ ...value }, camelCase) : {});
}
