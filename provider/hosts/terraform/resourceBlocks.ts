import { type CheckFailure, validate } from "../../definitions/rules";
import { type RawValues, unknown } from "../../definitions/values";
import { differs, holdsUnknown } from "../../resources/compare";
import type { Resource } from "../../resources/resource";
import { attributePathOf } from "./diagnostics";
import { parseExact } from "./exactNumber";
import type { AttributeSchema } from "./schema";
import {
  type AttributeSchemas,
  type Block,
  blockOfJson,
  plainValue,
  plainValues,
  readBlock,
  typed,
  writeValue,
} from "./values";
import type { AttributePath, DynamicValue } from "./wire/messages";

/** Translates between the blocks of Terraform and the values of one kind of resource. */
export class ResourceBlocks {
  readonly #definition: Resource;
  readonly #attributes: AttributeSchemas;
  readonly #inputs: AttributeSchemas;

  constructor(definition: Resource, attributes: AttributeSchemas) {
    this.#definition = definition;
    this.#attributes = attributes;
    const isInput = ({ property }: AttributeSchema) => property in definition.inputs;
    this.#inputs = Object.fromEntries(Object.entries(attributes).filter(([, attribute]) => isInput(attribute)));
  }

  /** Returns the known values of required inputs. Terraform demands them even if `ignore_changes` hides them. */
  requiredInputs(config: DynamicValue | undefined): RawValues {
    const given = Object.entries(this.inputsOf(readBlock(config) ?? {}));
    return knownOf(Object.fromEntries(given.filter(([name]) => this.isRequired(name))));
  }

  isRequired(name: string): boolean {
    const { required, fill } = this.#definition.inputs[name] ?? {};
    return required === true && fill === undefined;
  }

  inputsOf(block: Block): RawValues {
    return plainValues(this.#inputs, block);
  }

  stateOf({ id, ...block }: Block, own: RawValues): [id: string, state: RawValues] {
    const { id: _, ...values } = plainValues(this.#attributes, block);
    return [String(id ?? ""), { ...values, ...own }];
  }

  /** Returns what a state in Terraform's JSON form shows, without its internal properties. */
  stateOfJson(json: Uint8Array): [id: string, state: RawValues] {
    const values = Object(parseExact(Buffer.from(json).toString("utf8")));
    return this.stateOf(blockOfJson(this.#attributes, values), {});
  }

  /**
   * @param expected the block that Terraform has: a value that is equal to it is answered unchanged, with its own type.
   */
  write(id: string, state: RawValues, expected: Block) {
    const values = Object.entries(this.#attributes).map(([name, { property, type, computed }]) => {
      // A value that was planned as null stays null, also if the state has another.
      const isLeftOut = expected[name] === null && !computed;
      const value = property === "id" ? id : isLeftOut ? undefined : state[property];
      const isExpected = !differs(plainValue(type, expected[name]), value);
      return [name, isExpected ? (expected[name] ?? null) : typed(type, value)];
    });
    return writeValue(Object.fromEntries(values));
  }

  /**
   * Returns every attribute as the run will set it: as configured, or as a check fills it in, or else as the plan
   * predicts the output.
   */
  plannedBlock(config: Block, inputs: RawValues, output: (name: string, property: string) => unknown): Block {
    const values = Object.entries(this.#attributes).map(([name, { property, type, computed }]) => {
      const configured = config[name] ?? undefined;
      const other = () => (inputs[property] === undefined ? output(name, property) : typed(type, inputs[property]));
      return [name, configured ?? (computed ? other() : null)];
    });
    return Object.fromEntries(values);
  }

  /**
   * Returns the attributes for which Terraform replaces the resource. Terraform ignores an attribute whose planned
   * value equals the old value, for example if `ignore_changes` hides the change. In this case an output that is not
   * known before the run is added.
   */
  replacedPaths(properties: readonly string[], state: RawValues, inputs: RawValues): AttributePath[] {
    const names = properties.map((property) => this.#nameOf(property));
    const isHidden = properties.some((property) => !differs(state[property], inputs[property]));
    const output = Object.keys(this.#attributes).find((name) => {
      const { computed, optional } = this.#attributes[name] ?? {};
      return computed && !optional && name !== "id";
    });
    return (isHidden && output !== undefined ? [...names, output] : names).map(attributePathOf);
  }

  #nameOf(property: string): string {
    return Object.keys(this.#attributes).find((name) => this.#attributes[name]?.property === property) ?? property;
  }
}

/**
 * Returns the inputs that are known, with all their parts. In an apply, an unknown input is an output that the run will
 * set, and that the configuration may also give as an input.
 */
export function knownOf(inputs: RawValues): RawValues {
  return Object.fromEntries(Object.entries(inputs).filter(([, value]) => !holdsUnknown(value)));
}

/** Checks inputs by their rules alone, without settings: an input that a setting fills in is not known yet. */
export function failuresByRules({ inputs: fields }: Resource, inputs: RawValues, subject: string): CheckFailure[] {
  const filled = Object.fromEntries(Object.entries(fields).map(([name, { fill }]) => [name, fill && unknown]));
  return validate(inputs, fields, subject, { ...filled, ...inputs });
}
