/**
 * Reads seconds, or an HTTP date. A date is compared with the answer's date, so a wrong clock has no effect.
 * @returns milliseconds from now, never negative; undefined if the header is missing or invalid.
 */
export function parseRetryAfter(header: string | undefined, answerTime: number): number | undefined {
  const text = header?.trim() ?? "";
  if (/^\d{1,9}(\.\d+)?$/.test(text)) {
    return Number(text) * 1_000;
  }
  const time = /[a-z]/i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? undefined : Math.max(0, time - answerTime);
}
