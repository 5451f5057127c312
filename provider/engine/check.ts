import type { CheckFailure } from "../definitions/rules";
import { validate, withoutUnset } from "../definitions/rules";
import type { RawValues } from "../definitions/values";
import type { Resource } from "../resources/resource";
import { runtimeProblem } from "../support/packageFacts";
import { words } from "../support/words";
import type { SettingsReader } from "./settingsReader";

const secretInTheId =
  "is secret, but it is part of the resource's id, which is shown in clear text: give it as a plain value";

const nothing: ReadonlySet<string> = new Set();

/**
 * Bytes of an input as JSON. An engine sends an input up to three times in one request, in an encoding that may be six
 * times as long. What a create accepts, every later request must be able to carry.
 */
const largestInput = 256 * 1024;

/**
 * Refuses bad inputs before anything is sent. Unknown values pass, and so does what an earlier check has filled in:
 * with `ignoreChanges` the engine hands it back. @param secrets the names of the secret inputs, if the host knows them.
 */
export function check(
  definition: Resource,
  inputs: RawValues,
  settings: Pick<SettingsReader, "projectId" | "problems">,
  secrets = nothing,
): { inputs: RawValues; failures: CheckFailure[] } {
  const filled = fill(definition, inputs, settings.projectId());
  const problems = validate(withoutCopies(definition, inputs), definition.inputs, "this resource", filled);
  const contradiction = definition.contradiction?.(inputs);
  const inTheId = definition.identity.filter((name) => secrets.has(name));
  return {
    inputs: filled,
    failures: [
      ...problems,
      ...(problems.length === 0 ? tooLarge(inputs) : []),
      ...(contradiction ? [contradiction] : []),
      ...inTheId.map((name) => ({ property: "", reason: `${name} ${secretInTheId}` })),
      ...[runtimeProblem(process.versions) ?? [], ...settings.problems()]
        .flat()
        .map((reason) => ({ property: "", reason })),
    ],
  };
}

function tooLarge(inputs: RawValues): CheckFailure[] {
  return Object.entries(inputs)
    .filter(([, value]) => Buffer.byteLength(JSON.stringify(value) ?? "") > largestInput)
    .map(([name]) => ({
      // An engine prints the whole value of the property that a failure names.
      property: "",
      reason: `${words.name(name)} is larger than 256 KiB as JSON: make it smaller, or give a hash of it if only a change of it matters`,
    }));
}

function fill({ copies = {}, inputs: fields }: Resource, inputs: RawValues, projectId: unknown) {
  const copied = Object.entries(copies).map(([name, source]) => [name, inputs[source]]);
  const filled = Object.entries(fields).map(([name, field]) => [name, field.fill?.(inputs, projectId)]);
  return withoutUnset({ ...Object.fromEntries([...copied, ...filled]), ...withoutUnset(inputs) });
}

function withoutCopies({ copies = {} }: Resource, inputs: RawValues): RawValues {
  const isCopy = (name: string, value: unknown) => {
    const source = copies[name];
    return source !== undefined && (value ?? inputs[source]) === inputs[source];
  };
  return Object.fromEntries(Object.entries(inputs).filter(([name, value]) => !isCopy(name, value)));
}
