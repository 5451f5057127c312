/** A number that a float64 would round. Equal numbers have equal digits. */
export class ExactNumber {
  constructor(readonly digits: string) {}

  toJSON(): unknown {
    return rawJson(this.digits);
  }
}

/** TypeScript does not know `JSON.rawJSON` yet. */
const { rawJSON: rawJson } = JSON as unknown as { rawJSON(text: string): unknown };

export function parseExact(text: string): unknown {
  return JSON.parse(text, withDigits as (key: string, value: unknown) => unknown);
}

/** TypeScript does not know this third parameter yet. */
function withDigits(_: string, value: unknown, { source }: { source?: string }): unknown {
  return typeof value === "number" ? exactNumber(source ?? value) : value;
}

export function exactNumber(value: number | bigint | string | ExactNumber): number | ExactNumber {
  if (value instanceof ExactNumber) {
    return value;
  }
  const digits = plainDigits(String(value));
  const rounded = Number(digits);
  return plainDigits(String(rounded)) === digits ? rounded : new ExactNumber(digits);
}

function plainDigits(decimal: string): string {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(decimal) ?? [];
  const digits = whole + fraction;
  const point = whole.length + Number(exponent);
  const before = point > 0 ? digits.slice(0, point).padEnd(point, "0") : "";
  const after = (point > 0 ? digits.slice(point) : "0".repeat(-point) + digits).replace(/0+$/, "");
  const shown = `${before.replace(/^0+/, "") || "0"}${after === "" ? "" : `.${after}`}`;
  return shown === "0" ? shown : `${sign}${shown}`;
}
