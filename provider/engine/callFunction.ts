import { validateInputs } from "../definitions/rules";
import { containsUnknown, type RawValues, unknown } from "../definitions/values";
import { ArgumentError, type FunctionDefinition } from "../functions/function";
import type { CheckedSettings } from "../settings/settings";
import { warnOfMissingKey } from "./processSettings";
import type { Session } from "./session";

/**
 * Checks the arguments, and calls the function.
 * @returns `unknown` while an argument is unknown, and for a look-up in a preview without a key.
 * @throws ArgumentError if a known argument is invalid, even while another argument is unknown.
 */
export async function callFunction(
  called: FunctionDefinition,
  args: RawValues,
  { settings, session, isPreview }: { settings: CheckedSettings; session: Session; isPreview?: boolean | undefined },
): Promise<RawValues | typeof unknown> {
  const failures = validateInputs(args, called.inputs, "this function");
  if (failures.length > 0) {
    throw new ArgumentError(failures.map(({ property, reason }) => `${property} ${reason}`).join("; "), failures);
  }
  if (containsUnknown(args)) {
    called.foresee?.(args);
    return unknown;
  }
  if (isPreview && called.isLookUp && warnOfMissingKey(settings, session)) {
    return unknown;
  }
  const result = await called.call(args, {
    settings: () => settings.need("requests"),
    signal: session.signal,
    connect: (given) => session.connect(given),
  });
  return { ...result };
}
