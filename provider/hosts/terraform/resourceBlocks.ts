import type { RawValues } from "../../definitions/values";
import { differsFromStored } from "../../resources/differsFromStored";
import type { Resource } from "../../resources/resource";
import { mapValues, pickProperties } from "../../support/objects";
import { camelCase, snakeCase } from "../../support/words";
import { attributePathOf } from "./diagnostics";
import {
  type AttributeSchemas,
  type Block,
  fromTerraformBlock,
  fromTerraformValue,
  toTerraformType,
  writeValue,
} from "./values";
import type { AttributePath } from "./wire/messages";

export class ResourceBlocks {
  readonly #inputs: AttributeSchemas;

  constructor(
    definition: Resource,
    private readonly attributes: AttributeSchemas,
  ) {
    this.#inputs = pickProperties(attributes, (name) => Object.hasOwn(definition.inputs, camelCase(name)));
  }

  inputsOf(block: Block): RawValues {
    return fromTerraformBlock(this.#inputs, block);
  }

  savedIn(block: Block): { id: string; state: RawValues } {
    const { id = "", ...state } = fromTerraformBlock(this.attributes, block);
    return { id: String(id), state };
  }

  /**
   * @param expected the block that Terraform has now. If a value of the state equals the value in this block, the
   * result has the value from this block. So the value keeps its type, for example a number and not a text.
   */
  write(id: string, state: RawValues, expected: Block) {
    const values = mapValues(this.attributes, (name, { type, computed }) => {
      // An input that was planned as null stays null, even if the state has another value.
      const isLeftOut = expected[name] === null && !computed;
      const value = name === "id" ? id : isLeftOut ? undefined : state[camelCase(name)];
      const isExpected = !differsFromStored(fromTerraformValue(type, expected[name], name), value);
      return isExpected ? (expected[name] ?? null) : toTerraformType(type, value);
    });
    return writeValue(values);
  }

  plannedBlock(config: Block, inputs: RawValues, output: (name: string, property: string) => unknown): Block {
    return mapValues(this.attributes, (name, { type, computed }) => {
      const property = camelCase(name);
      const configured = config[name] ?? undefined;
      const other = () =>
        inputs[property] === undefined ? output(name, property) : toTerraformType(type, inputs[property]);
      return configured ?? (computed ? other() : null);
    });
  }

  /**
   * Returns the attributes that require a replacement. Terraform ignores an attribute whose planned value equals its
   * old value, for example under `ignore_changes`. The result then also has an output, which Terraform does not ignore,
   * because its planned value is unknown.
   */
  replacedPaths(properties: readonly string[], state: RawValues, inputs: RawValues): AttributePath[] {
    const names = properties.map(snakeCase);
    const isHidden = properties.some((property) => !differsFromStored(state[property], inputs[property]));
    const output = Object.keys(this.attributes).find((name) => {
      const { computed, optional } = this.attributes[name] ?? {};
      return computed && !optional && name !== "id";
    });
    return (isHidden && output !== undefined ? [...names, output] : names).map(attributePathOf);
  }
}
