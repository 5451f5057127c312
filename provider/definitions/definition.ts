import type {
  Changes,
  CheckFailure,
  ClockReading,
  Context,
  Decision,
  Lifecycle,
  RawValues,
} from "../resources/lifecycle";
import type { Settings } from "../settings/settings";
import { asDocsPlatformError } from "../support/errors";
import { type AnyInputFields, type ArgumentFields, type Fields, type InputFields, requireInputs } from "./rules";
import { decode, decodePartly, type Property, type Shape } from "./shape";

/** What a resource is, as data: hosts, checks, plans and schemas follow from it. */
interface ResourceFacts<Input extends string, Output extends string> {
  /** The last part of its type token. */
  readonly name: string;
  /** What the resource has beyond what its inputs tell. */
  readonly outputs: readonly Output[];
  /** The outputs that are secret whatever the inputs are. */
  readonly secrets?: readonly Output[];
  /** The inputs that the id is made of, which is never secret. */
  readonly identity: readonly Input[];
  /** What the platform does not tell of an imported resource: taken from the program in the first run after it. */
  readonly labels?: readonly Input[];
  /** The inputs that a look by the id alone brings to light. */
  readonly importedInputs?: readonly Input[];
  /** Refuses inputs that keep the rules each, and contradict each other. */
  readonly contradiction?: (inputs: RawValues) => CheckFailure | undefined;
  /** The name, for people, of the object that the platform keeps after a deletion. */
  readonly kept?: string;
  /** Why a look by the id alone is refused, and what to do. */
  readonly notImported?: string;
  /**
   * Whether one that is replaced can stay until its successor is there, also where a host deletes first: nothing of the two is
   * in the same place. Of the successor the inputs are given that are known.
   */
  readonly staysForSuccessor?: (state: RawValues, successor: RawValues) => boolean;
  /** A look at it sends nothing to the platform: a host that looks at each plan may look at this. */
  readonly readsAtPlan?: true;
  /** What a check adds to the inputs, and no program gives, so that a preview knows it: each is a copy of another input. */
  readonly copies?: Readonly<Record<string, Input>>;
}

interface ResourceSpec<Inputs extends object, State extends object>
  extends ResourceFacts<keyof Inputs & string, keyof State & string> {
  readonly inputs: InputFields<Inputs>;
  /** What the engine keeps. */
  readonly state: Shape<State>;
  readonly lifecycle: Lifecycle<Inputs, State>;
}

/** A resource as the engine's functions take it: it decodes what a host hands over, and calls its lifecycle. */
export interface ResourceDefinition extends ResourceFacts<string, string> {
  readonly inputs: AnyInputFields;
  /** The properties of the state. Those that begin with `__` are the provider's own. */
  readonly state: Readonly<Record<string, Property<unknown>>>;
  decide(state: RawValues, inputs: RawValues, changes: Changes, reading: ClockReading): Decision;
  create(inputs: RawValues, context: Context, earlier?: RawValues): Promise<{ id: string; state: RawValues }>;
  read(id: string, state: RawValues, context: Context): Promise<RawValues | undefined>;
  update(id: string, state: RawValues, inputs: RawValues, context: Context): Promise<RawValues>;
  delete(id: string, state: RawValues, context: Context): Promise<void>;
  isUnderWay(state: RawValues): boolean;
}

export function defineResource<Inputs extends object, State extends object>(
  spec: ResourceSpec<Inputs, State>,
): ResourceDefinition {
  const { lifecycle, ...facts } = spec;
  const stateOf = (values: RawValues): State => decode(spec.state, values, `the state of a ${spec.name}`);
  const inputsOf = (values: RawValues): Inputs => requireInputs(spec.inputs, values);
  return {
    ...facts,
    decide: (state, inputs, changes, reading) => lifecycle.decide(stateOf(state), inputs, changes, reading),
    async create(inputs, context, earlier) {
      const { id, state } = await lifecycle.create(inputsOf(inputs), context, earlier && stateOf(earlier));
      return { id, state: valuesOf(state) };
    },
    async read(id, state, context) {
      const found = await lifecycle.read(id, decodePartly(spec.state, state), context);
      return found && valuesOf(found);
    },
    async update(id, state, inputs, context) {
      return valuesOf(await lifecycle.update(id, stateOf(state), inputsOf(inputs), context));
    },
    async delete(id, state, context) {
      await lifecycle.delete?.(id, stateOf(state), context);
    },
    isUnderWay: (state) => lifecycle.isUnderWay?.(decodePartly(spec.state, state)) ?? false,
  };
}

function valuesOf(state: object): RawValues {
  return Object.fromEntries(Object.entries(state));
}

/** What a function may ask of the world around it. */
export interface CallContext {
  /** @throws ConfigurationError */
  settings(): Settings;
  signal: AbortSignal;
  /** Writes to the log of a run that is debugged. */
  debug(text: string): void;
}

interface FunctionSpec<Args, Result extends object> {
  /** The last part of its token. */
  readonly name: string;
  readonly inputs: ArgumentFields<Args>;
  /**
   * Called when some arguments are not known yet. Refuses the known ones if no later value can make them valid.
   * @throws ArgumentError
   */
  foresee?(args: RawValues): Promise<void>;
  call(args: Args, context: CallContext): Promise<Result>;
}

/** A function, called with arguments that keep the rules. */
export interface FunctionDefinition<Result extends object = object> {
  readonly name: string;
  readonly inputs: Fields;
  foresee?(args: RawValues): Promise<void>;
  call(args: RawValues, context: CallContext): Promise<Result>;
}

/** A function only looks. */
const nothingChanged = { exists: "nothing was changed.", nextRun: "asks again." };

export function defineFunction<Args, Result extends object>(
  spec: FunctionSpec<Args, Result>,
): FunctionDefinition<Result> {
  return {
    ...spec,
    async call(args, context) {
      try {
        return await spec.call(requireInputs(spec.inputs, args), context);
      } catch (error) {
        throw error instanceof ArgumentError ? error : asDocsPlatformError(error).withOutcome(nothingChanged);
      }
    },
  };
}

/** A function refuses arguments that keep the rules each, and contradict each other. Nothing was sent. */
export class ArgumentError extends Error {
  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause));
  }
}
