import type { ResourceDefinition, ResourceFields, StateOf } from "../definitions/definition";
import { type InputsOf, requireInputs } from "../definitions/rules";
import type { RawValues } from "../definitions/values";
import { InternalError } from "../support/errors";
import type { Changes, Context, Decision, Lifecycle, Outcome } from "./lifecycle";

export interface Resource extends ResourceDefinition {
  decide(state: RawValues, inputs: RawValues, changes: Changes, now: number): Decision;
  create(inputs: RawValues, context: Context, earlier?: RawValues): Promise<Outcome<RawValues>>;
  read(id: string, state: RawValues, context: Context): Promise<RawValues | undefined>;
  update(id: string, state: RawValues, inputs: RawValues, context: Context): Promise<Outcome<RawValues>>;
  delete(id: string, state: RawValues, context: Context): Promise<void>;
}

export function bindLifecycle<Fields extends ResourceFields>(
  definition: ResourceDefinition<Fields>,
  lifecycle: Lifecycle<InputsOf<Fields>, StateOf<Fields>>,
): Resource {
  const stateOf = (values: RawValues) => decodeState(definition, values);
  const inputsOf = (values: RawValues) => requireInputs(definition.fields, values);
  return {
    ...definition,
    decide: (state, inputs, changes, now) => lifecycle.decide(stateOf(state), inputs, changes, now),
    async create(inputs, context, earlier) {
      return plain(await lifecycle.create(inputsOf(inputs), context, earlier && stateOf(earlier)));
    },
    async read(id, state, context) {
      const found = await lifecycle.read(id, decodePartly(definition, state), context);
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

function plain({ state, ...rest }: Outcome<object>): Outcome<RawValues> {
  return { ...rest, state: { ...state } };
}

/**
 * Reads a state. A property that the definition does not know stays, because another release may have written it. An
 * optional property of a wrong type is left out.
 * @throws InternalError if a required property is missing, or has a wrong type.
 */
function decodeState<Fields extends ResourceFields>(
  definition: ResourceDefinition<Fields>,
  values: RawValues,
): StateOf<Fields> {
  const fitting = decodePartly(definition, values);
  if (!isComplete(definition, fitting)) {
    throw new InternalError(
      new Error(`the state of a ${definition.name} has no valid ${lacking(definition, fitting)}`),
    );
  }
  return fitting;
}

export function decodePartly<Fields extends ResourceFields>(
  { state }: ResourceDefinition<Fields>,
  values: RawValues,
): Partial<StateOf<Fields>> {
  const properties = new Map(Object.entries(state));
  const fitting = Object.entries(values).filter(([name, value]) => properties.get(name)?.is(value) ?? true);
  const kept: Partial<StateOf<Fields>> = {};
  return Object.assign(kept, Object.fromEntries(fitting));
}

function lacking({ state }: ResourceDefinition, values: object): string | undefined {
  return Object.keys(state).find((name) => !(state[name]?.optional || Object.hasOwn(values, name)));
}

function isComplete<Fields extends ResourceFields>(
  definition: ResourceDefinition<Fields>,
  values: Partial<StateOf<Fields>>,
): values is StateOf<Fields> {
  return lacking(definition, values) === undefined;
}
