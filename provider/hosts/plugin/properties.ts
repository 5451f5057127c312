import { type RawValues, unknown } from "../../definitions/values";
import { decodeUnknown, encodeUnknown, specialSecretSig, specialSigKey, toJson } from "../../pulumiEngine/engineValues";
import { mapValues, pickProperties } from "../../support/objects";

const outputSignature = "d0e6a833031e9bbcd3f4e8bde6ca49a4";

interface OutputValue {
  value?: unknown;
  secret?: boolean;
  dependencies?: string[];
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
  return { values: decodeUnknown(plain), secrets, dependencies };
}

export function writeProperties(values: RawValues, secrets: ReadonlySet<string>): RawValues {
  return mapValues(toJson(encodeUnknown(values)), (name, value) =>
    secrets.has(name) ? { [specialSigKey]: specialSecretSig, value } : value,
  );
}

export function writeOutputValues(values: RawValues, secret: boolean, dependencies: ReadonlySet<string>): RawValues {
  const known: RawValues = toJson(values);
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
