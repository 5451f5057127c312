const unitMilliseconds: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
};

// The letters for "micro" are escaped: one character beyond Latin-1 would double the memory of the provider's code.
// Each position of a text is tried only once, so even a very long text is refused quickly.
const part = /(\d+(?:\.\d*)?|\.\d+)(ns|us|\u00b5s|\u03bcs|ms|s|m|h)/gy;

/** @returns milliseconds; undefined for a text that is not a Go duration such as `"1h30m"`. */
export function parseDuration(text: string): number | undefined {
  if (text === "0") {
    return 0;
  }
  const parts = [...text.matchAll(part)];
  const isDuration = text !== "" && parts.map(([whole]) => whole).join("") === text;
  const total = parts.reduce((sum, [, count, unit = ""]) => sum + Number(count) * (unitMilliseconds[unit] ?? 0), 0);
  return isDuration && Number.isFinite(total) ? total : undefined;
}

/** Formats for the user: `"850ms"`, `"42s"`, `"10m"`, `"3m05s"`, `"1h02m"`. */
export function formatDuration(milliseconds: number): string {
  if (milliseconds < 1_000) {
    return `${Math.max(0, Math.round(milliseconds))}ms`;
  }
  const seconds = Math.round(milliseconds / 1_000);
  if (seconds < 60) {
    return `${seconds}s`;
  }
  const minutes = Math.round(seconds / 60);
  return seconds < 3_600 ? pair(seconds, "m", "s") : pair(minutes, "h", "m");
}

/** Returns for example `"79 % 4m left"`; undefined if both parts are unknown. */
export function formatProgress(share: number | undefined, left: number | undefined): string | undefined {
  const parts = [
    share === undefined ? [] : `${Math.floor(share * 100)} %`,
    left === undefined || (share ?? 0) >= 1 ? [] : `${formatDuration(Math.max(1_000, left))} left`,
  ].flat();
  return parts.length > 0 ? parts.join(" ") : undefined;
}

function pair(count: number, large: string, small: string): string {
  const rest = count % 60;
  return `${Math.floor(count / 60)}${large}${rest === 0 ? "" : `${String(rest).padStart(2, "0")}${small}`}`;
}

/** Returns ISO 8601 in UTC. @param time milliseconds since the epoch. */
export function formatIsoTime(time: number): string;
export function formatIsoTime(time: number | undefined): string | undefined;
export function formatIsoTime(time: number | undefined): string | undefined {
  return time === undefined ? undefined : new Date(time).toISOString();
}
