import { type CheckFailure, validateInputs, withoutUnset } from "../definitions/rules";
import { type RawValues, unknown } from "../definitions/values";
import type { Resource } from "../resources/resource";
import type { CheckedSettings } from "../settings/settings";
import { pickProperties } from "../support/objects";
import { runtimeProblem } from "../support/packageFacts";
import { words } from "../support/words";
import { findConfigurationProblems } from "./processSettings";

const secretInTheId =
  "is secret, but it is part of the resource's id, which is shown in clear text: give it as a plain value";

/**
 * In bytes, as JSON. A larger input could make a request too large: a request may contain the input three times, and
 * its encoding may be six times as long.
 */
const largestInput = 256 * 1024;

export interface CheckResult {
  /** The inputs, and the default values that the check has added. */
  inputs: RawValues;
  failures: CheckFailure[];
  /** The problems of the settings, the journal and the proxy. Any of them makes every request impossible. */
  settingFailures: CheckFailure[];
}

/**
 * Refuses invalid inputs. Unknown values are accepted. Default values from an earlier check are accepted, too, because
 * with `ignoreChanges` the engine sends them back.
 * @param options.secrets the names of the secret inputs, if the host knows them.
 * @param options.state the values in the state. If a default comes from an unknown setting, the value in the state is
 * used.
 */
export function check(
  definition: Resource,
  inputs: RawValues,
  settings: CheckedSettings,
  { secrets, state = {} }: { secrets?: ReadonlySet<string> | undefined; state?: RawValues | undefined } = {},
): CheckResult {
  const filled = fill(definition, inputs, settings.isKnown("projectId") ? settings.values.projectId : unknown, state);
  const problems = validateInputs(withoutCopies(definition, inputs), definition.inputs, "this resource", filled);
  const contradiction = definition.contradiction?.(inputs);
  const inTheId = definition.identity.filter((name) => secrets?.has(name));
  return {
    inputs: filled,
    failures: [
      ...problems,
      ...(problems.length === 0 ? tooLarge(inputs) : []),
      ...(contradiction ? [contradiction] : []),
      ...inTheId.map((name) => asFailure(`${name} ${secretInTheId}`)),
      ...[runtimeProblem(process.versions) ?? []].flat().map(asFailure),
    ],
    settingFailures: findConfigurationProblems(settings).map(asFailure),
  };
}

function asFailure(reason: string): CheckFailure {
  return { property: "", reason };
}

function tooLarge(inputs: RawValues): CheckFailure[] {
  const isTooLarge = (value: unknown) => Buffer.byteLength(JSON.stringify(value) ?? "") > largestInput;
  const names = Object.keys(inputs).filter((name) => isTooLarge(inputs[name]));
  // The failures name no property, because the engine would print the property's whole value.
  return names.map((name) =>
    asFailure(
      `${words.name(name)} is larger than 256 KiB as JSON: make it smaller, or give a hash of it if only a change of it matters`,
    ),
  );
}

function fill({ copies, inputs: fields }: Resource, inputs: RawValues, projectId: unknown, state: RawValues) {
  const copied = Object.entries(copies).map(([name, source]) => [name, inputs[source]]);
  const isSetting = (name: string) => fields[name]?.fill?.({}, unknown) === unknown;
  const filled = Object.entries(fields).map(([name, field]) => {
    const value = field.fill?.(inputs, projectId);
    const isKept = value === unknown && projectId === unknown && name in state && isSetting(name);
    return [name, isKept ? state[name] : value];
  });
  return withoutUnset({ ...Object.fromEntries([...copied, ...filled]), ...withoutUnset(inputs) });
}

function withoutCopies({ copies }: Resource, inputs: RawValues): RawValues {
  const isCopy = (name: string, value: unknown) => {
    const source = copies[name];
    return source !== undefined && (value ?? inputs[source]) === inputs[source];
  };
  return pickProperties(inputs, (name, value) => !isCopy(name, value));
}
