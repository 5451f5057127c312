const iso =
  /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,20})?)?)(?: ?(?:Z|UTC|GMT|([+-])(\d{2}):?(\d{2})?))?)?$/i;

/** The basic form of ISO 8601, such as `20260131T235959Z`. */
const basic = /^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})(.*)$/i;

/** The zone is required, because without it the zone of this machine would apply. */
const httpDate = /^(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6},? .{0,40}\d{4}.{0,20}(?:GMT|UTC|[+-]\d{4})$/i;

/** The longest text that can be a time, in characters. */
const longestText = 64;

/**
 * September 2001, in milliseconds since the epoch. For an event that has not happened yet, a server may write the zero
 * time of its clock, in the year 1, 1601, 1900, 1970, 1980 or 2001. So a time before this one counts as missing.
 */
const earliest = 1e12;

/** The end of the year 9999, in milliseconds since the epoch. In texts, a year has four digits. */
export const endOfYear9999 = 253_402_300_799_999;

/**
 * Each row is a unit of time: nanoseconds, microseconds or milliseconds. The first value is the smallest number that
 * counts as a time in this unit. The second value is the unit in milliseconds. A number below all rows counts in
 * seconds. These bounds are right for times since the year 2001.
 */
const finerFrom = [
  [1e18, 1e-6],
  [1e15, 1e-3],
  [1e12, 1],
] as const;

/**
 * The API text says only "timestamp", so a time may have any of these forms: ISO 8601 (UTC if it has no offset), an
 * HTTP date, a number since the epoch in any unit, or an object with seconds.
 * @returns milliseconds since the epoch, or undefined if the value is no time.
 */
export function parseTimestamp(value: unknown): number | undefined {
  if (typeof value === "number") {
    return fromEpoch(value);
  }
  if (typeof value === "object" && value !== null) {
    const { seconds, _seconds = seconds } = value as Record<string, unknown>;
    return typeof _seconds === "object" ? undefined : parseTimestamp(_seconds);
  }
  if (typeof value !== "string" || value.length > longestText) {
    return undefined;
  }
  const text = value.trim();
  if (/^\d{9,19}(\.\d{1,20})?$/.test(text)) {
    return fromEpoch(Number(text));
  }
  const time = Date.parse(isoForm(text) ?? (httpDate.test(text) ? text : ""));
  return time >= earliest && time <= endOfYear9999 ? time : undefined;
}

function fromEpoch(value: number): number | undefined {
  const [, milliseconds] = finerFrom.find(([from]) => value >= from) ?? [0, 1_000];
  const time = Math.round(value * milliseconds);
  return time >= earliest && time <= endOfYear9999 ? time : undefined;
}

/** Every `Date.parse` reads this form of ISO 8601 in the same way. */
function isoForm(text: string): string | undefined {
  const extended = text.replace(basic, "$1-$2-$3T$4:$5:$6$7");
  const [whole, day, time = "00:00", sign, hours, minutes = "00"] = iso.exec(extended) ?? [];
  return whole && `${day}T${time.replace(",", ".")}${sign ? `${sign}${hours}:${minutes}` : "Z"}`;
}
