import { type RawValues, unknown } from "../../definitions/values";
import { decodeUnknown, encodeUnknown, secretMark, toJson, valueMark } from "../../pulumiEngine/engineValues";

const outputSignature = "d0e6a833031e9bbcd3f4e8bde6ca49a4";

interface OutputValue {
  value?: unknown;
  secret?: boolean;
  dependencies?: string[];
}

export interface Properties {
  values: RawValues;
  secrets: ReadonlySet<string>;
}

interface ReadProperties extends Properties {
  dependencies: ReadonlySet<string>;
}

export function readProperties(struct: RawValues | undefined): ReadProperties {
  const secrets = new Set<string>();
  const dependencies = new Set<string>();
  const plain = Object.entries(struct ?? {}).map(([name, value]) => {
    const note = (found: OutputValue) => {
      if (found.secret) {
        secrets.add(name);
      }
      for (const urn of found.dependencies ?? []) {
        dependencies.add(urn);
      }
    };
    return [name, unwrap(value, note)] as const;
  });
  return { values: decodeUnknown(Object.fromEntries(plain)), secrets, dependencies };
}

/**
 * Returns the secret outputs: those that are always secret, the secret inputs, and each output that has the value of a
 * secret input.
 */
export function secretOutputs(
  outputs: RawValues,
  always: readonly string[],
  ...givens: readonly Properties[]
): ReadonlySet<string> {
  const given = givens.flatMap(({ values, secrets }) => [...secrets].map((name) => [name, values[name]] as const));
  const hidden = new Set(given.map(([, value]) => value).filter((value) => typeof value === "string" && value !== ""));
  const alike = Object.keys(outputs).filter((name) => hidden.has(outputs[name]));
  return new Set([...always, ...given.map(([name]) => name), ...alike]);
}

export function writeProperties(values: RawValues, secrets: ReadonlySet<string>): RawValues {
  const encoded = Object.entries(toJson(encodeUnknown(values))).map(([name, value]) => [
    name,
    secrets.has(name) ? { [valueMark]: secretMark, value } : value,
  ]);
  return Object.fromEntries(encoded);
}

export function writeOutputValues(values: RawValues, secret: boolean, dependencies: ReadonlySet<string>): RawValues {
  const known: RawValues = toJson(values);
  const written = Object.keys(values)
    .filter((name) => name in known || values[name] === unknown)
    .map((name) => {
      const output: OutputValue = { secret, dependencies: [...dependencies] };
      return [name, { [valueMark]: outputSignature, ...output, ...(name in known && { value: known[name] }) }];
    });
  return Object.fromEntries(written);
}

function unwrap(value: unknown, note: (found: OutputValue) => void): unknown {
  if (typeof value !== "object" || value === null) {
    return value;
  }
  if (Array.isArray(value)) {
    return value.map((item) => unwrap(item, note));
  }
  const { [valueMark]: kind, ...rest } = value as Record<string, unknown>;
  if (kind === secretMark) {
    note({ secret: true });
    return unwrap(rest.value, note);
  }
  if (kind === outputSignature) {
    note(rest);
    return "value" in rest ? unwrap(rest.value, note) : unknown;
  }
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, unwrap(item, note)]));
}
