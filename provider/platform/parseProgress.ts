/**
 * Returns a number from 0 to 1; undefined if the value cannot be understood. The API text shows no type, so the value
 * may be a percentage, a fraction below 1, a text such as `"42%"` or `"5/12"`, or an object with such numbers.
 */
export function parseProgress(value: unknown): number | undefined {
  if (typeof value === "number") {
    return fromNumber(value);
  }
  if (typeof value === "string") {
    return fromText(value);
  }
  return typeof value === "object" && value !== null ? fromObject(value as Record<string, unknown>) : undefined;
}

function fromNumber(value: number): number | undefined {
  if (!Number.isFinite(value) || value < 0) {
    return undefined;
  }
  // A running job shows 1 only on a platform that counts in per cent. With fractions, 1 would mean that the job is
  // completed.
  const fraction = value < 1 ? value : value / 100;
  return Math.min(1, fraction);
}

const longestText = 200;

/** The number of digits is limited, so that no text takes long to match. */
const number = String.raw`(?<![\d.])(\d{1,20}(?:\.\d{1,20})?)\s{0,5}`;
const share = new RegExp(String.raw`${number}(?:/|\bof\b)\s{0,5}(\d{1,20}(?:\.\d{1,20})?)`);
const perCent = new RegExp(`${number}(?:%|per ?cent)`, "i");
const numberAlone = new RegExp(`^${number}$`);

function fromText(text: string): number | undefined {
  const read = text.slice(0, longestText).trim();
  const [, done, total] = share.exec(read) ?? [];
  if (done !== undefined) {
    return fromShare(Number(done), Number(total));
  }
  const [, percent] = perCent.exec(read) ?? [];
  if (percent !== undefined) {
    return Math.min(1, Number(percent) / 100);
  }
  return numberAlone.test(read) ? fromNumber(Number(read)) : undefined;
}

function fromObject(value: Record<string, unknown>): number | undefined {
  const first = (...names: string[]) => names.map((name) => value[name]).find((item) => item !== undefined);
  const total = first("total", "totalPages", "pageCount");
  const done = first("completed", "done", "current", "processed", "pages");
  if (typeof total === "number" && typeof done === "number") {
    return fromShare(done, total);
  }
  const percent = first("percent", "percentage", "progress", "value", "fraction");
  return typeof percent === "object" ? undefined : parseProgress(percent);
}

function fromShare(done: number, total: number): number | undefined {
  return total > 0 && done >= 0 ? Math.min(1, done / total) : undefined;
}
