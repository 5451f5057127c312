import { type RawInputs, unknown } from "../resources/lifecycle";

/** How the engine writes a value that it does not know yet, of whatever type. */
const unknownOnTheWire = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/** The text that names our code in the state, and the resource's own name there: of the host, not of the resource. */
export interface Envelope {
  __provider?: string;
  __urn?: string;
}

/** Takes what the engine sent apart: the host's own keys, and the resource's properties with unknown values marked. */
export function decode(properties: Readonly<Record<string, unknown>>): { envelope: Envelope; properties: RawInputs } {
  const { __provider, __urn, ...own } = properties;
  const envelope = {
    ...(typeof __provider === "string" && { __provider }),
    ...(typeof __urn === "string" && __urn !== unknownOnTheWire && { __urn }),
  };
  return { envelope, properties: replace(own, unknownOnTheWire, unknown) as RawInputs };
}

/** The other direction, for inputs that `check` gives back. */
export function encode(properties: RawInputs): Record<string, unknown> {
  return replace(properties, unknown, unknownOnTheWire) as Record<string, unknown>;
}

function replace(value: unknown, from: unknown, to: unknown): unknown {
  if (value === from) {
    return to;
  }
  if (Array.isArray(value)) {
    return value.map((item) => replace(item, from, to));
  }
  return typeof value === "object" && value !== null
    ? Object.fromEntries(Object.entries(value).map(([key, item]) => [key, replace(item, from, to)]))
    : value;
}
