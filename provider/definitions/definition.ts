import { pickProperties } from "../support/objects";
import { type Guard, isText } from "./guards";
import type { CheckFailure, FieldDefinition, InputsAcceptedBy, RequiredOrFilledField } from "./rules";
import type { RawValues } from "./values";

type Effect = "replace" | "update" | "none";

interface InputField<T> extends FieldDefinition<T> {
  readonly onChange: Effect;
  /**
   * Set if the resource keeps the old value when the program removes the input. The text describes how to get a new
   * value.
   */
  readonly staysWhenRemoved?: string;
  /** True if a preview treats an unknown value as unchanged, and warns about it. */
  readonly assumed?: true;
  /** True if the resource's id contains this input. Such an input is never secret. */
  readonly inId?: true;
  /**
   * True if an import cannot read the value from the platform. The first run after the import then accepts the
   * program's value.
   */
  readonly label?: true;
  /**
   * Set if the input is the id of an object on the platform. The text is the name of this kind of object, for messages.
   * On another platform the same id identifies another object.
   */
  readonly ofPlatform?: string;
}

/**
 * A field of the state that is not an input: an output, or an internal field of the provider, whose name begins with
 * `__`.
 */
interface StateField<T> {
  readonly state: Guard<T>;
  readonly optional?: true;
  readonly secret?: true;
  /**
   * The name of the input from which this field has its value. The check of the inputs copies the value, so that a
   * preview knows this field.
   */
  readonly copyOf?: string;
}

/** The origin of the platform that has the job. On another platform the job's id has no meaning. */
export const platformOriginField = { state: isText } as const;
/** The name of a journal entry that may still belong to the resource. */
export const journalEntryField = { state: isText, optional: true } as const;

/**
 * A field with a rule is an input, and a field with `state` is an output. A field with both is an output if the program
 * does not give it.
 */
export type ResourceFieldDefinitions = Readonly<
  Record<string, InputField<unknown> | StateField<unknown> | (InputField<unknown> & StateField<unknown>)>
>;

type AlwaysInState<Given> = Given extends { readonly state: Guard<unknown> }
  ? Given extends { readonly optional: true }
    ? false
    : true
  : Given extends { readonly label: true }
    ? false
    : Given extends RequiredOrFilledField
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
  /** Rejects inputs that are each valid, but contradict each other. */
  readonly contradiction?: (inputs: RawValues) => CheckFailure | undefined;
  /** For messages: the name of the object that stays on the platform after a deletion. */
  readonly kept?: string;
  /** Set if a look-up by the id alone is refused: the reason and the remedy, for the error text. */
  readonly notImported?: string;
  /**
   * Returns true if a replaced resource and its successor can be at their destinations together. The replaced resource
   * then stays until the successor exists, even if the host deletes first. `successor` has only known inputs.
   */
  readonly staysForSuccessor?: (state: RawValues, successor: RawValues) => boolean;
  /** True if a read sends no request to the platform. A host may then read the resource at each plan. */
  readonly readsAtPlan?: true;
  /** True if a create starts work on the platform. The journal records such a create. */
  readonly starts?: true;
  /**
   * Set if a host may offer the resource without a state. `without` lists the inputs that have no meaning in that case.
   */
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

export interface ResourceDefinition<Fields extends ResourceFieldDefinitions = ResourceFieldDefinitions>
  extends ResourceFacts {
  readonly fields: Fields;
  readonly inputs: Readonly<Record<string, InputField<unknown>>>;
  /** The properties of the state. Names that begin with `__` are internal to the provider. */
  readonly state: Readonly<Record<string, Property>>;
  /** The outputs, without those that copy a required input. */
  readonly outputs: readonly string[];
  /** The properties that the state encrypts. */
  readonly secrets: readonly string[];
  readonly identity: readonly string[];
  readonly labels: readonly string[];
  /** The inputs that an import can read from the platform. */
  readonly importedInputs: readonly string[];
  readonly copies: Readonly<Record<string, string>>;
  /** The properties that a program can read. */
  readonly readable: readonly string[];
}

export function defineResource<const Fields extends ResourceFieldDefinitions>(
  spec: ResourceFacts & { readonly fields: Fields },
): ResourceDefinition<Fields> {
  const fields = Object.entries<ResourceFieldDefinitions[string]>(spec.fields);
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

function propertyOf(field: ResourceFieldDefinitions[string]): Property {
  return "state" in field
    ? { is: field.state, optional: field.optional === true }
    : { is: field.rule.is, optional: field.label === true || !(field.required || field.fill) };
}

export function inputsOfState<Fields extends ResourceFieldDefinitions, State extends Partial<StateOf<Fields>>>(
  { inputs }: ResourceDefinition<Fields>,
  state: State,
): Pick<State, keyof State & keyof InputsAcceptedBy<Fields>> {
  return pickProperties(state, (name) => Object.hasOwn(inputs, name));
}

/**
 * Returns the values that distinguish one start from another: the platform, and every input whose change replaces the
 * resource. An input that is also an output is left out, because the platform may choose its value. An example is the
 * `jobId` of an export.
 */
export function pickInputsThatIdentifyStart(
  { inputs }: ResourceDefinition,
  values: RawValues,
  baseUrl: string,
): unknown {
  const isPart = (name: string) => {
    const field = inputs[name];
    return field?.onChange === "replace" && !("state" in field);
  };
  return { baseUrl, ...pickProperties(values, isPart) };
}

/** Returns the state with the new values of the inputs whose change does not replace the resource. */
export function mergeUpdatableInputs<State extends object>(
  { inputs }: ResourceDefinition,
  state: State,
  values: Partial<State>,
): State {
  const isUpdated = (name: string) => Object.hasOwn(inputs, name) && inputs[name]?.onChange !== "replace";
  return { ...pickProperties(state, (name) => !isUpdated(name)), ...pickProperties(values, isUpdated) };
}

/** Returns a guard that recognizes a saved state by these properties. A look-up by the id alone does not give them. */
export function savedStateGuard<State>(...names: readonly (keyof State)[]) {
  return (state: Partial<State>): state is State => names.every((name) => state[name] !== undefined);
}
