const iso =
  /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,20})?)?)(?: ?(?:Z|UTC|GMT|([+-])(\d{2}):?(\d{2})?))?)?$/i;

/** Only with its zone: without one it would be read by the clock of this machine. */
const httpDate = /^(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6},? .{0,40}\d{4}.{0,20}(?:GMT|UTC|[+-]\d{4})$/i;

/** What is longer is no time, and is not matched against what a time looks like. */
const longestText = 64;

/** Where seconds end and milliseconds begin: as seconds the year 5138, as milliseconds the year 1973. */
const millisecondsFrom = 100_000_000_000;

/**
 * Reads a time as the platform may write it; the API text says only "timestamp": ISO 8601 with an offset or without
 * (then UTC), an HTTP date, or seconds or milliseconds since the epoch, as a number or as digits.
 * @returns milliseconds since the epoch, or undefined where the value is no time.
 */
export function parseTimestamp(value: unknown): number | undefined {
  if (typeof value === "number") {
    return fromEpoch(value);
  }
  if (typeof value !== "string" || value.length > longestText) {
    return undefined;
  }
  const text = value.trim();
  if (/^\d{9,16}(\.\d{1,20})?$/.test(text)) {
    return fromEpoch(Number(text));
  }
  const time = Date.parse(isoForm(text) ?? (httpDate.test(text) ? text : ""));
  return Number.isNaN(time) ? undefined : time;
}

function fromEpoch(value: number): number | undefined {
  const time = value < millisecondsFrom ? value * 1_000 : value;
  return value > 0 && time <= 8.64e15 ? Math.round(time) : undefined;
}

/** The one form of ISO 8601 that is read alike everywhere; a bare day is its begin. */
function isoForm(text: string): string | undefined {
  const [whole, day, time = "00:00", sign, hours, minutes = "00"] = iso.exec(text) ?? [];
  return whole && `${day}T${time.replace(",", ".")}${sign ? `${sign}${hours}:${minutes}` : "Z"}`;
}
