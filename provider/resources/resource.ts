import type { ResourceDefinition, ResourceFieldDefinitions, StateOf } from "../definitions/definition";
import { type InputsAcceptedBy, requireValidInputs } from "../definitions/rules";
import type { RawValues } from "../definitions/values";
import { InternalError } from "../support/errors";
import { pickProperties } from "../support/objects";
import { ownPropertyOf } from "../support/ownPropertyOf";
import type { Lifecycle, WriteOutcome } from "./lifecycle";

/** The operations accept values whose types are not checked yet. */
export interface Resource extends ResourceDefinition, Required<Lifecycle<RawValues, RawValues>> {}

export function bindLifecycle<Fields extends ResourceFieldDefinitions>(
  definition: ResourceDefinition<Fields>,
  lifecycle: Lifecycle<InputsAcceptedBy<Fields>, StateOf<Fields>>,
): Resource {
  const stateOf = (values: RawValues) => decodeState(definition, values);
  const inputsOf = (values: RawValues) => requireValidInputs(definition.fields, values);
  return {
    ...definition,
    decide: (state, inputs, changes, now) => lifecycle.decide(stateOf(state), inputs, changes, now),
    async create(inputs, context, earlier) {
      return plain(await lifecycle.create(inputsOf(inputs), context, earlier && stateOf(earlier)));
    },
    async read(id, state, context) {
      const found = await lifecycle.read(id, decodePartialState(definition, state), context);
      return found && { ...found };
    },
    async update(id, state, inputs, context) {
      return plain(await lifecycle.update(id, stateOf(state), inputsOf(inputs), context));
    },
    async delete(id, state, context) {
      await lifecycle.delete?.(id, stateOf(state), context);
    },
  };
}

function plain({ state, ...rest }: WriteOutcome<object>): WriteOutcome {
  return { ...rest, state: { ...state } };
}

/**
 * Keeps unknown properties, because another release may have written them. Leaves out an optional property of a wrong
 * type.
 * @throws InternalError if a required property is missing, or has a wrong type.
 */
function decodeState<Fields extends ResourceFieldDefinitions>(
  definition: ResourceDefinition<Fields>,
  values: RawValues,
) {
  const fitting = decodePartialState(definition, values);
  const { name, state } = definition;
  const lacking = Object.keys(state).find((each) => !(state[each]?.optional || Object.hasOwn(fitting, each)));
  if (lacking !== undefined) {
    throw new InternalError(new Error(`the state of a ${name} has no valid ${lacking}`));
  }
  return fitting as StateOf<Fields>;
}

export function decodePartialState<Fields extends ResourceFieldDefinitions>(
  { state }: ResourceDefinition<Fields>,
  values: RawValues,
): Partial<StateOf<Fields>> {
  return pickProperties(values, (name, value) => ownPropertyOf(state, name)?.is(value) ?? true) as Partial<
    StateOf<Fields>
  >;
}
