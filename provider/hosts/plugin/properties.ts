import { type RawValues, unknown } from "../../definitions/values";
import {
  decodeUnknownValues,
  encodeUnknownValues,
  specialSecretSig,
  specialSigKey,
  withoutUndefinedValues,
} from "../../pulumiEngine/engineValues";
import { mapValues, pickProperties } from "../../support/objects";

const outputSignature = "d0e6a833031e9bbcd3f4e8bde6ca49a4";

interface OutputValue {
  value?: unknown;
  secret?: boolean;
  dependencies?: string[];
}

/** `secrets` has the names of the values that the program gives as secret. */
export interface SecretMarkedValues {
  values: RawValues;
  secrets: ReadonlySet<string>;
}

export function readProperties(struct: RawValues | undefined) {
  const secrets = new Set<string>();
  const dependencies = new Set<string>();
  const plain = mapValues(struct ?? {}, (name, value) => {
    const note = (found: OutputValue) => {
      if (found.secret) {
        secrets.add(name);
      }
      for (const urn of found.dependencies ?? []) {
        dependencies.add(urn);
      }
    };
    return unwrap(value, note);
  });
  return { values: decodeUnknownValues(plain), secrets, dependencies };
}

export function writeProperties(values: RawValues, secrets: ReadonlySet<string>): RawValues {
  return mapValues(withoutUndefinedValues(encodeUnknownValues(values)), (name, value) =>
    secrets.has(name) ? { [specialSigKey]: specialSecretSig, value } : value,
  );
}

export function writeOutputValues(values: RawValues, secret: boolean, dependencies: ReadonlySet<string>): RawValues {
  const known: RawValues = withoutUndefinedValues(values);
  const output: OutputValue = { secret, dependencies: [...dependencies] };
  return mapValues(
    pickProperties(values, (name, value) => name in known || value === unknown),
    (name) => ({ [specialSigKey]: outputSignature, ...output, ...(name in known && { value: known[name] }) }),
  );
}

function unwrap(value: unknown, note: (found: OutputValue) => void): unknown {
  if (typeof value !== "object" || value === null) {
    return value;
  }
  if (Array.isArray(value)) {
    return value.map((item) => unwrap(item, note));
  }
  const { [specialSigKey]: kind, ...rest } = value as Record<string, unknown>;
  if (kind === specialSecretSig) {
    note({ secret: true });
    return unwrap(rest.value, note);
  }
  if (kind === outputSignature) {
    note(rest);
    return "value" in rest ? unwrap(rest.value, note) : unknown;
  }
  return mapValues({ ...value }, (_, item) => unwrap(item, note));
}

/** Returns the outputs that are always secret, the secret inputs, and each output with the value of a secret input. */
export function findSecretOutputNames(outputs: RawValues, always: readonly string[], ...givens: SecretMarkedValues[]) {
  const given = givens.flatMap(({ values, secrets }) => [...secrets].map((name) => [name, values[name]] as const));
  const hidden = new Set(given.map(([, value]) => value).filter((value) => typeof value === "string" && value !== ""));
  const alike = Object.keys(outputs).filter((name) => hidden.has(outputs[name]));
  return new Set([...always, ...given.map(([name]) => name), ...alike]);
}
