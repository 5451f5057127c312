import { type Guard, isText } from "./guards";
import type { AlwaysGiven, CheckFailure, Field, InputsOf } from "./rules";
import type { RawValues } from "./values";

type Effect = "replace" | "update" | "none";

interface InputField<T> extends Field<T> {
  readonly onChange: Effect;
  /** Set if the resource keeps the old value when the input is removed. The text says how to get a new one. */
  readonly staysWhenRemoved?: string;
  /** True if a preview counts an unknown value as unchanged, and warns. */
  readonly assumed?: true;
  /** The id contains this input, so it is never secret. */
  readonly inId?: true;
  /** True if an import cannot read the value from the platform: the first run after it accepts the program's value. */
  readonly label?: true;
  /**
   * For an id of an object on the platform: the name of this kind of object, for people. On another platform the same id
   * names another object.
   */
  readonly ofPlatform?: string;
}

/** A field of the state only: an output, or the provider's own note (its name begins with `__`). */
interface StateField<T> {
  readonly state: Guard<T>;
  readonly optional?: true;
  readonly secret?: true;
  /** The input that it repeats. A check adds it to the inputs, so that a preview knows it. */
  readonly copyOf?: string;
}

/** The origin of the platform that has the job. On another platform the job's id means nothing. */
export const platformOrigin = { state: isText } as const;
/** The name of the journal entry that may still be about the resource. */
export const journalEntry = { state: isText, optional: true } as const;

/** A field with a rule is an input, one with `state` an output. With both, it is an output unless the program gives it. */
export type ResourceFields = Readonly<
  Record<string, InputField<unknown> | StateField<unknown> | (InputField<unknown> & StateField<unknown>)>
>;

type AlwaysInState<Given> = Given extends { readonly state: Guard<unknown> }
  ? Given extends { readonly optional: true }
    ? false
    : true
  : Given extends { readonly label: true }
    ? false
    : Given extends AlwaysGiven
      ? true
      : false;

type InState<Given> = Given extends { readonly state: Guard<infer T> }
  ? T
  : Given extends { readonly rule: { readonly is: Guard<infer T> } }
    ? T
    : never;

export type StateOf<Fields> = {
  -readonly [Name in keyof Fields as AlwaysInState<Fields[Name]> extends true ? Name : never]: InState<Fields[Name]>;
} & {
  -readonly [Name in keyof Fields as AlwaysInState<Fields[Name]> extends true ? never : Name]?: InState<Fields[Name]>;
};

interface ResourceFacts {
  readonly name: string;
  /** Rejects inputs that are valid one by one but contradict each other. */
  readonly contradiction?: (inputs: RawValues) => CheckFailure | undefined;
  /** The name, for people, of the object that the platform keeps after a deletion. */
  readonly kept?: string;
  /** Why a look-up by the id alone is refused, and what to do. */
  readonly notImported?: string;
  /**
   * Returns true if a replaced resource and its successor do not share a place. The replaced one then stays until the
   * successor exists, even if the host deletes first. `successor` has the known inputs of the successor.
   */
  readonly staysForSuccessor?: (state: RawValues, successor: RawValues) => boolean;
  /** True if a read sends no request to the platform, so that a host may read the resource at each plan. */
  readonly readsAtPlan?: true;
  /** True if a create starts work on the platform, which the journal records. */
  readonly starts?: true;
  /** Set if a host may offer the resource without a state. `without` lists the inputs that mean nothing then. */
  readonly stateless?: {
    readonly as: "action" | "ephemeral";
    readonly without: readonly string[];
    readonly description: string;
  };
}

interface Property {
  readonly is: Guard<unknown>;
  readonly optional: boolean;
}

export interface ResourceDefinition<Fields extends ResourceFields = ResourceFields> extends ResourceFacts {
  readonly fields: Fields;
  readonly inputs: Readonly<Record<string, InputField<unknown>>>;
  /** The properties of the state. Names that begin with `__` are internal to the provider. */
  readonly state: Readonly<Record<string, Property>>;
  /** The outputs, without copies of inputs that the program always gives. */
  readonly outputs: readonly string[];
  /** The properties that the state encrypts. */
  readonly secrets: readonly string[];
  readonly identity: readonly string[];
  readonly labels: readonly string[];
  /** The inputs that a look-up by the id finds for an imported resource. */
  readonly importedInputs: readonly string[];
  readonly copies: Readonly<Record<string, string>>;
  /** The properties that a program can read. */
  readonly readable: readonly string[];
}

export function defineResource<const Fields extends ResourceFields>(
  spec: ResourceFacts & { readonly fields: Fields },
): ResourceDefinition<Fields> {
  const fields = Object.entries<ResourceFields[string]>(spec.fields);
  const inputs = Object.fromEntries(fields.flatMap(([name, field]) => ("rule" in field ? [[name, field]] : [])));
  const isFlagged = (flag: "inId" | "label" | "required") =>
    Object.keys(inputs).filter((name) => inputs[name]?.[flag] === true);
  const outputs = fields.flatMap(([name, field]) =>
    "state" in field && !name.startsWith("__") ? [{ name, ...field }] : [],
  );
  const isCopyOfRequired = (copyOf: string | undefined) => copyOf !== undefined && inputs[copyOf]?.required === true;
  const filled = Object.keys(inputs).filter((name) => inputs[name]?.fill !== undefined);
  return {
    ...spec,
    inputs,
    state: Object.fromEntries(fields.map(([name, field]) => [name, propertyOf(field)])),
    outputs: outputs.filter(({ copyOf }) => !isCopyOfRequired(copyOf)).map(({ name }) => name),
    secrets: fields.flatMap(([name, field]) => ("secret" in field && field.secret ? [name] : [])),
    identity: isFlagged("inId"),
    labels: isFlagged("label"),
    importedInputs: isFlagged("required"),
    copies: Object.fromEntries(outputs.flatMap(({ name, copyOf }) => (copyOf === undefined ? [] : [[name, copyOf]]))),
    readable: [...new Set([...outputs.map(({ name }) => name), ...filled, ...isFlagged("required")])],
  };
}

function propertyOf(field: ResourceFields[string]): Property {
  return "state" in field
    ? { is: field.state, optional: field.optional === true }
    : { is: field.rule.is, optional: field.label === true || !(field.required || field.fill) };
}

export function inputsIn<Fields extends ResourceFields, State extends Partial<StateOf<Fields>>>(
  { inputs }: ResourceDefinition<Fields>,
  state: State,
): Pick<State, keyof State & keyof InputsOf<Fields>> {
  return pick(state, (name) => Object.hasOwn(inputs, name));
}

/**
 * Returns the values that distinguish one start from another: the platform, and every input with a change that replaces the
 * resource. An id that the platform may choose is not one of them.
 */
export function requestOf({ inputs }: ResourceDefinition, values: RawValues, baseUrl: string): unknown {
  const isPart = (name: string) => {
    const field = inputs[name];
    return field?.onChange === "replace" && !("state" in field);
  };
  return { baseUrl, ...pick(values, isPart) };
}

/** Returns the state with the new values of those inputs that do not replace the resource. */
export function withUpdates<State extends object>(
  { inputs }: ResourceDefinition,
  state: State,
  values: Partial<State>,
): State {
  const isUpdated = (name: string) => Object.hasOwn(inputs, name) && inputs[name]?.onChange !== "replace";
  return { ...pick(state, (name) => !isUpdated(name)), ...pick(values, isUpdated) };
}

function pick<T extends object>(values: T, isPicked: (name: string) => boolean): T {
  return Object.fromEntries(Object.entries(values).filter(([name]) => isPicked(name))) as T;
}
