const isoWithoutOffset = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?)$/;

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
  if (typeof value !== "string") {
    return undefined;
  }
  const text = value.trim();
  if (/^\d{9,16}(\.\d+)?$/.test(text)) {
    return fromEpoch(Number(text));
  }
  const local = isoWithoutOffset.exec(text);
  const time = Date.parse(local ? `${local[1]}T${local[2]?.replace(",", ".")}Z` : withColonInOffset(text));
  return Number.isNaN(time) || !/\d{4}/.test(text) ? undefined : time;
}

function fromEpoch(value: number): number | undefined {
  const time = value < millisecondsFrom ? value * 1_000 : value;
  return value > 0 && time <= 8.64e15 ? Math.round(time) : undefined;
}

function withColonInOffset(text: string): string {
  return text
    .replace(/^(\d{4}-\d{2}-\d{2}) (\d{2}:)/, "$1T$2")
    .replace(/([+-]\d{2})(\d{2})$/, (whole, hours, minutes) =>
      /T/.test(text) || / \d{2}:/.test(text) ? `${hours}:${minutes}` : whole,
    );
}

/** ISO 8601 in UTC, the form of every time in an output. */
export function formatTimestamp(time: number): string {
  return new Date(time).toISOString();
}
