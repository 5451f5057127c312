import { printable } from "../support/printable";

/** The longest text that an error quotes, in characters. */
export const maxQuotedCharacters = 300;

/** The search for an error message reads this many fields of an object, and this many items of a list. */
const mostFields = 50;
const mostItems = 3;

/** The usual frameworks put error messages into these fields. The quoted text has the messages in this order. */
const wordFields = [
  ...["error", "error_description", "message", "msg", "title", "detail", "details", "description", "reason"],
  ...["fault", "faultstring", "defaultmessage"],
];

/** Returns true if a body is a web page, or a document of XML. The admin API answers only in JSON. */
export function isMarkup(text: string): boolean {
  return /^\s*</.test(text);
}

/** Quotes the platform's words from the body of an error. A web page is mentioned, but not quoted. */
export function quoteErrorBody(text: string): string | undefined {
  if (isMarkup(text)) {
    return xmlText(text) ?? "an HTML or XML page, perhaps from a proxy";
  }
  try {
    return extractErrorMessage(JSON.parse(text));
  } catch {
    return extractErrorMessage(text);
  }
}

/** Reads `{error: "…"}`, which the API text shows, and the forms of the usual frameworks. */
export function extractErrorMessage(value: unknown, depth = 4): string | undefined {
  const text = wordsIn(value, depth);
  return text && (printable(text, maxQuotedCharacters).replace(/\s+/g, " ") || undefined);
}

function wordsIn(value: unknown, depth: number): string | undefined {
  if (typeof value === "string") {
    return value.trim() || undefined;
  }
  if (typeof value !== "object" || value === null || depth <= 0) {
    return undefined;
  }
  if (Array.isArray(value)) {
    return joined(
      value.slice(0, mostItems).map((item) => wordsIn(item, depth - 1)),
      "; ",
    );
  }
  const entries = Object.entries(value).slice(0, mostFields);
  const fields = new Map(entries.map(([name, field]) => [name.toLowerCase(), field]));
  const told = wordFields.map((name) => wordsIn(fields.get(name), depth - 1));
  // The field `errors` is a list, or an object whose keys are the names of the wrong fields.
  const errors = fields.get("errors");
  const inErrors =
    wordsIn(errors, depth - 1) ??
    (typeof errors === "object" ? named(Object.entries(errors ?? {}), depth - 1) : undefined);
  const words = joined([...told, inErrors], ": ");
  if (words !== undefined) {
    return joined([placeOf(fields), words], ": ");
  }
  // An error may be an object whose keys are the names of wrong fields, each with a list of texts.
  const lists = entries.filter(([, field]) => Array.isArray(field));
  return named(lists, depth);
}

/** Returns the name of the wrong field, if an error in a list names it. */
function placeOf(fields: ReadonlyMap<string, unknown>): string | undefined {
  const loc = fields.get("loc") ?? fields.get("field");
  const parts = (Array.isArray(loc) ? loc : [loc]).filter((part) => typeof part === "string");
  return parts.length === 0 ? undefined : parts.join(".");
}

function named(entries: readonly [string, unknown][], depth: number): string | undefined {
  const texts = entries.slice(0, mostItems).map(([name, value]) => {
    const words = wordsIn(value, depth - 1);
    return words === undefined ? undefined : `${name}: ${words}`;
  });
  return joined(texts, "; ");
}

function joined(texts: readonly (string | undefined)[], separator: string): string | undefined {
  const known = new Set(texts.filter((text) => text !== undefined));
  return known.size === 0 ? undefined : [...known].join(separator);
}

/** Storages and older gateways answer in XML. */
function xmlText(text: string): string | undefined {
  const [, words] =
    /<(?:\w{1,20}:)?(?:message|faultstring|error_description|description)>([^<]{1,2000})</i.exec(text) ?? [];
  return words === undefined || /<html/i.test(text) ? undefined : extractErrorMessage(words);
}
