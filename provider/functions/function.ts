import { type CheckFailure, type InputFields, type InputsAcceptedBy, requireValidInputs } from "../definitions/rules";
import type { RawValues } from "../definitions/values";
import type { PlatformClient } from "../platform/client";
import type { Settings } from "../settings/settings";
import { asDocsPlatformError } from "../support/errors";

interface CallContext {
  settings(): Settings;
  signal: AbortSignal;
  connect(settings: Settings): Promise<PlatformClient>;
}

export interface FunctionDefinition<Arguments extends InputFields = InputFields, Result extends object = object> {
  readonly name: string;
  readonly inputs: Arguments;
  /** Set if the function sends a request to the platform. Terraform offers such a function as a data source. */
  readonly isLookUp?: true;
  /** @throws ArgumentError if the known arguments are invalid for every possible value of the unknown arguments. */
  foresee?(args: RawValues): void;
  call(args: RawValues, context: CallContext): Promise<Result>;
}

interface FunctionSpec<Arguments extends InputFields, Result extends object>
  extends Omit<FunctionDefinition<Arguments>, "call"> {
  call(args: InputsAcceptedBy<Arguments>, context: CallContext): Result | Promise<Result>;
}

const nothingChanged = { exists: "nothing was changed.", nextRun: "asks again." };

export function defineFunction<const Arguments extends InputFields, Result extends object>(
  spec: FunctionSpec<Arguments, Result>,
): FunctionDefinition<Arguments, Result> {
  return {
    ...spec,
    async call(args, context) {
      try {
        return await spec.call(requireValidInputs(spec.inputs, args), context);
      } catch (error) {
        throw error instanceof ArgumentError ? error : asDocsPlatformError(error).withOutcome(nothingChanged);
      }
    },
  };
}

/** The error for invalid arguments. The function has sent no request. */
export class ArgumentError extends Error {
  constructor(
    message: string,
    /** Empty if no single argument is invalid, but two of them contradict each other. */
    readonly failures: readonly CheckFailure[] = [],
  ) {
    super(message);
  }
}
