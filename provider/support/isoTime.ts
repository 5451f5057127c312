/** ISO 8601 in UTC, the form of every time in the state. Undefined stays undefined. @param time milliseconds since the epoch. */
export function isoTime(time: number): string;
export function isoTime(time: number | undefined): string | undefined;
export function isoTime(time: number | undefined): string | undefined {
  return time === undefined ? undefined : new Date(time).toISOString();
}
