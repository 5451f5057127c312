const units: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
};

/**
 * Reads a duration as Go writes it, such as `90s`, `1m30s`, `1.5h`, `-2s` or `0`.
 *
 * @returns milliseconds; undefined when the text is no duration
 */
export function parseGoDuration(text: string): number | undefined {
  if (/^[+-]?0$/.test(text)) {
    return 0;
  }
  if (!/^[+-]?((\d+\.?\d*|\.\d+)(ns|us|µs|ms|s|m|h))+$/.test(text)) {
    return undefined;
  }
  const parts = text.matchAll(/([\d.]+)([a-zµ]+)/g);
  const sum = [...parts].reduce((total, [, amount, unit]) => total + Number(amount) * (units[unit ?? ""] ?? 0), 0);
  return text.startsWith("-") ? -sum : sum;
}
