import type { Properties } from "../../engine/secrets";
import type { RawValues } from "../../resources/lifecycle";
import { toJson } from "../../support/json";
import { decodeUnknown, encodeUnknown } from "../pulumi/unknownValues";
import { Struct } from "./protocol";

/** How the engine writes a value with a meaning of its own: this key tells which. */
const signature = "4dabf18193072939515e22adb298388d";
const secretSignature = "1b47061264138c4ac30d75fd1eb44270";

export function readProperties(struct: Struct | undefined): Properties {
  const secrets = new Set<string>();
  const plain = Object.entries(struct?.toJavaScript() ?? {}).map(([name, value]) => {
    const noteSecret = () => secrets.add(name);
    return [name, unwrap(value, noteSecret)] as const;
  });
  return { values: decodeUnknown(Object.fromEntries(plain)), secrets };
}

/** The other direction: as the engine takes it, with these properties marked as secret. */
export function writeProperties(values: RawValues, secrets: ReadonlySet<string>): Struct {
  const encoded = Object.entries(toJson(encodeUnknown(values))).map(([name, value]) => [
    name,
    secrets.has(name) ? { [signature]: secretSignature, value } : value,
  ]);
  return Struct.fromJavaScript(Object.fromEntries(encoded));
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
