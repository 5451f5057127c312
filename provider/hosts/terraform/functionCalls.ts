import { validate, withoutUnset } from "../../definitions/rules";
import { type RawValues, unknown } from "../../definitions/values";
import { create } from "../../engine/apply";
import { check } from "../../engine/check";
import type { SettingsReader } from "../../engine/settingsReader";
import { ArgumentError, type FunctionDefinition } from "../../functions/function";
import { functions } from "../../functions/index";
import { holdsUnknown } from "../../resources/compare";
import { resources } from "../../resources/index";
import { asDocsPlatformError, ConfigurationError } from "../../support/errors";
import { camelCase, snakeCase } from "../../support/words";
import { failureDiagnostics } from "./diagnostics";
import { type BlockSchema, providerSchema } from "./schema";
import type { TerraformSession } from "./terraformSession";
import { type AttributeSchemas, plainValue, plainValues, readBlock, readValue, typed, writeValue } from "./values";
import type { TerraformRequest, TerraformResponse } from "./wire/messages";

/** The calls that keep no state: data sources, ephemeral resources and functions. */
export class FunctionCalls {
  readonly #settings: () => SettingsReader;
  readonly #session: TerraformSession;

  constructor(settings: () => SettingsReader, session: TerraformSession) {
    this.#settings = settings;
    this.#session = session;
  }

  validateDataSource({
    typeName,
    config,
  }: TerraformRequest<"ValidateDataResourceConfig">): TerraformResponse<"ValidateDataResourceConfig"> {
    const [schema, called] = dataSourceOf(typeName);
    const failures = validate(
      inputsOf(called, schema.attributes, readBlock(config)),
      called.inputs,
      "this data source",
    );
    return { diagnostics: failureDiagnostics(failures, schema.attributes) };
  }

  async readDataSource({
    typeName,
    config,
  }: TerraformRequest<"ReadDataSource">): Promise<TerraformResponse<"ReadDataSource">> {
    const [schema, called] = dataSourceOf(typeName);
    const block = readBlock(config) ?? {};
    const found: RawValues = { ...(await this.#call(called, inputsOf(called, schema.attributes, block))) };
    const values = Object.entries(schema.attributes).map(([name, { property, type }]) => [
      name,
      block[name] ?? typed(type, found[property]),
    ]);
    return { state: writeValue(Object.fromEntries(values)) };
  }

  validateEphemeral({
    config,
  }: TerraformRequest<"ValidateEphemeralResourceConfig">): TerraformResponse<"ValidateEphemeralResourceConfig"> {
    const { attributes } = bundleSchema;
    const failures = validate(
      plainValues(attributes, readBlock(config) ?? {}),
      bundle.inputs,
      "this ephemeral resource",
    );
    return { diagnostics: failureDiagnostics(failures, attributes) };
  }

  /** Returns a link for this run only, by the resource's own create. No state is kept. */
  async openEphemeral({
    config,
  }: TerraformRequest<"OpenEphemeralResource">): Promise<TerraformResponse<"OpenEphemeralResource">> {
    const { attributes } = bundleSchema;
    const settings = this.#settings();
    const { inputs } = check(bundle, plainValues(attributes, readBlock(config) ?? {}), settings);
    const { state } = await create(bundle, { inputs, settings, signal: this.#session.signal }, this.#session);
    const values = Object.entries(attributes).map(([name, { property, type }]) => [name, typed(type, state[property])]);
    return { result: writeValue(Object.fromEntries(values)) };
  }

  async callFunction({
    name = "",
    arguments: given = [],
  }: TerraformRequest<"CallFunction">): Promise<TerraformResponse<"CallFunction">> {
    const signature = providerSchema.functions[name];
    const called = functions[signature?.property ?? ""];
    if (signature === undefined || called === undefined) {
      return { error: { text: `there is no function ${name}` } };
    }
    const values = signature.parameters.map(({ type }, index) => plainValue(type, readValue(given[index])));
    const isObject = signature.parameters[0]?.type === "dynamic";
    const args = isObject ? withMembers(values[0], called) : { [Object.keys(called.inputs)[0] ?? ""]: values[0] };
    try {
      const failures = validate(args, called.inputs, "this function");
      if (failures.length > 0) {
        return {
          error: { text: failures.map(({ property, reason }) => `${snakeCase(property)} ${reason}`).join("; ") },
        };
      }
      if (holdsUnknown(values)) {
        called.foresee?.(args);
        return { result: writeValue(unknown) };
      }
      const result = await this.#call(called, args);
      return { result: writeValue(typed(signature.returns, namesOf(signature.returns, { ...result }))) };
    } catch (error) {
      return {
        error: {
          text: error instanceof ArgumentError ? inSnakeCase(error.message) : asDocsPlatformError(error).message,
        },
      };
    }
  }

  #call(called: FunctionDefinition, args: RawValues): Promise<object> {
    const session = this.#session;
    return called.call(args, {
      settings: () => this.#settings().require(),
      signal: session.signal,
      connect: (settings) => session.connect(settings),
    });
  }
}

const bundle = resources.ExportBundle;
const bundleSchema = providerSchema.ephemeralResources.docsplatform_export_bundle as BlockSchema;

function dataSourceOf(typeName = ""): [BlockSchema, FunctionDefinition] {
  const schema = providerSchema.dataSources[typeName];
  const called = functions[schema?.property ?? ""];
  if (schema === undefined || called === undefined) {
    throw new ConfigurationError([`there is no data source ${typeName}`], "use one that this provider has.");
  }
  return [schema, called];
}

function inputsOf({ inputs }: FunctionDefinition, attributes: AttributeSchemas, block: RawValues = {}): RawValues {
  const values = Object.entries(plainValues(attributes, block)).filter(([name]) => name in inputs);
  return withoutUnset(Object.fromEntries(values));
}

/**
 * Returns an object of a program with the names of the definitions. If the program gives a whole resource, only the
 * members that are needed are taken.
 */
function withMembers(value: unknown, { inputs }: FunctionDefinition): RawValues {
  const members = camelCased(value);
  return Object.fromEntries(
    Object.entries(members).map(([name, member]) => {
      const wanted = inputs[name]?.rule.members;
      const known = Object.entries(camelCased(member)).filter(([each]) => wanted?.includes(each));
      return [name, wanted === undefined || member === unknown ? member : Object.fromEntries(known)];
    }),
  );
}

function camelCased(value: unknown): Record<string, unknown> {
  const entries = typeof value === "object" && value !== null ? Object.entries(value) : [];
  return withoutUnset(Object.fromEntries(entries.map(([name, item]) => [camelCase(name), item])));
}

/** Writes the argument names of a refusal in snake_case, as Terraform does. The definitions use camelCase. */
function inSnakeCase(text: string): string {
  return text.replace(/\b[a-z]+[A-Z]\w*/g, snakeCase);
}

/**
 * Writes the names of a result in snake_case if the result has a type. Any other result keeps its names for its reader,
 * such as the values of a chart.
 */
function namesOf(type: unknown, result: RawValues): RawValues {
  return type === "dynamic"
    ? result
    : Object.fromEntries(Object.entries(result).map(([name, value]) => [snakeCase(name), value]));
}
