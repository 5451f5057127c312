const iso =
  /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,20})?)?)(?: ?(?:Z|UTC|GMT|([+-])(\d{2}):?(\d{2})?))?)?$/i;

/** The zone is required: without it, the zone of this machine would count. */
const httpDate = /^(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6},? .{0,40}\d{4}.{0,20}(?:GMT|UTC|[+-]\d{4})$/i;

/** A longer text is no time, and is not matched. Characters. */
const longestText = 64;

/** Numbers below this are seconds (until the year 5138), others are milliseconds (from the year 1973). */
const millisecondsFrom = 100_000_000_000;

/**
 * Reads a time as the platform may write it. The API text says only "timestamp". It may be ISO 8601 with an offset or without
 * (then it is UTC), an HTTP date, or seconds or milliseconds since the epoch, as a number or as digits.
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

/** The form of ISO 8601 that every `Date.parse` reads in the same way. A day without a time is its midnight. */
function isoForm(text: string): string | undefined {
  const [whole, day, time = "00:00", sign, hours, minutes = "00"] = iso.exec(text) ?? [];
  return whole && `${day}T${time.replace(",", ".")}${sign ? `${sign}${hours}:${minutes}` : "Z"}`;
}
