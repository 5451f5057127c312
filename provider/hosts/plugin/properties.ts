import type { RawInputs } from "../../resources/lifecycle";
import { toJson } from "../../support/json";
import { decode, encode } from "../wire";
import { Struct } from "./protocol";

/** How the engine writes a value with a meaning of its own: this key tells which. */
const signature = "4dabf18193072939515e22adb298388d";
const secretSignature = "1b47061264138c4ac30d75fd1eb44270";

/** What a message holds: the plain values, unknown ones marked, and the names of those that are or hold a secret. */
export interface Properties {
  values: RawInputs;
  secrets: ReadonlySet<string>;
}

export function readProperties(struct: Struct | undefined): Properties {
  const secrets = new Set<string>();
  const plain = Object.entries(struct?.toJavaScript() ?? {}).map(([name, value]) => {
    const noteSecret = () => secrets.add(name);
    return [name, unwrap(value, noteSecret)] as const;
  });
  return { values: decode(Object.fromEntries(plain)).properties, secrets };
}

/** The other direction: as the engine takes it, with these properties marked as secret. */
export function writeProperties(values: RawInputs, secrets: ReadonlySet<string>): Struct {
  const encoded = Object.entries(toJson(encode(values))).map(([name, value]) => [
    name,
    secrets.has(name) ? { [signature]: secretSignature, value } : value,
  ]);
  return Struct.fromJavaScript(Object.fromEntries(encoded));
}

/**
 * Which outputs are secret: those of the resource that always are; those whose input is; and those that hold the same
 * value as a secret input, whatever their name.
 */
export function secretOutputs(
  outputs: RawInputs,
  always: readonly string[],
  ...givens: readonly Properties[]
): ReadonlySet<string> {
  const names = new Set(always);
  for (const { values, secrets } of givens) {
    for (const name of secrets) {
      names.add(name);
      for (const [output, value] of Object.entries(outputs)) {
        if (typeof value === "string" && value !== "" && value === values[name]) {
          names.add(output);
        }
      }
    }
  }
  return names;
}

function unwrap(value: unknown, noteSecret: () => void): unknown {
  if (typeof value !== "object" || value === null) {
    return value;
  }
  if (Array.isArray(value)) {
    return value.map((item) => unwrap(item, noteSecret));
  }
  const { [signature]: kind, ...rest } = value as Record<string, unknown>;
  if (kind === secretSignature) {
    noteSecret();
    return unwrap(rest.value, noteSecret);
  }
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, unwrap(item, noteSecret)]));
}
