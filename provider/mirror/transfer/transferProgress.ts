import { formatProgress } from "../../support/time/duration";

/** In milliseconds. A transfer has thousands of chunks, so the progress is not shown after each chunk. */
const minInterval = 250;

/**
 * @returns a function to call with the number of transferred bytes. It shows this number, the rate and the remaining
 * time.
 */
export function createProgressReporter(
  title: string,
  expectedBytes: number | undefined,
  now: () => number,
  show: (text: string) => void,
): (bytes: number) => void {
  const begin = now();
  let last = Number.NEGATIVE_INFINITY;
  return (bytes) => {
    const time = now();
    if (time - last < minInterval) {
      return;
    }
    last = time;
    const perMillisecond = bytes / Math.max(1, time - begin);
    const parts = [formatSize(bytes)];
    if (expectedBytes !== undefined && expectedBytes > 0) {
      parts[0] += ` of ${formatSize(expectedBytes)}`;
      const left = Math.max(0, expectedBytes - bytes) / perMillisecond;
      // The progress comes first in the text, because a display may show only the first characters.
      parts.unshift(formatProgress(bytes / expectedBytes, left) ?? "");
    }
    if (time > begin) {
      parts.push(`${formatSize(perMillisecond * 1_000)}/s`);
    }
    show([...parts, title].join(", "));
  };
}

const units = ["B", "KiB", "MiB", "GiB", "TiB"] as const;

export function formatSize(bytes: number): string {
  const power = bytes < 1_024 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10));
  const value = bytes / 1_024 ** power;
  return `${power === 0 || value >= 10 ? Math.round(value) : value.toFixed(1)} ${units[power]}`;
}
