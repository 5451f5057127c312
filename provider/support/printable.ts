import { redact } from "./redact";

/** In characters. Our own texts are much shorter. */
const longestLine = 4_000;

/** In characters. A longer text is cut before the search for secrets, which takes about 30 ms for this length. */
const longestRead = 256 * 1_024;

/**
 * Characters that control a terminal or a log: control characters, changes of the text's direction, line ends, and
 * halves of surrogate pairs.
 */
const unprintable = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu;

/** Pipelines treat `##[…]` and `##vso[…]` as commands, also in the middle of a line. */
const inlineCommand = /##(?=\w*\[)/g;

/**
 * Removes secrets from a text and cuts it. No other function cuts texts for messages: a cut before the search for
 * secrets could leave a part of a secret.
 */
function excerpt(text: string, longest: number, kept: "begin" | "end" = "begin"): string {
  const redacted = redact(kept === "begin" ? text.slice(0, longestRead) : text.slice(-longestRead));
  if (redacted.length <= longest) {
    return redacted;
  }
  return kept === "begin" ? `${redacted.slice(0, longest)}…` : `…${redacted.slice(-longest)}`;
}

/**
 * Returns an {@link excerpt} as one line, without control characters and without commands of a pipeline (such as `::`).
 */
export function printable(text: string, longest = longestLine, kept: "begin" | "end" = "begin"): string {
  return harmless(excerpt(text, longest, kept));
}

/** No line contains control characters or a command of a pipeline. */
export function printableLines(text: string): string {
  return text
    .split("\n")
    .map((line) => `${/^ */.exec(line)?.[0] ?? ""}${harmless(line)}`)
    .join("\n");
}

function harmless(line: string): string {
  return line.replace(unprintable, " ").replace(inlineCommand, "# #").trim().replace(/^::/, ": :");
}

/**
 * Returns a text from another source as a JavaScript string literal. Characters other than letters, digits and the
 * usual characters of ids become escapes such as `\u0022`. With `\"` instead, a redaction could remove the backslash,
 * and the quote would end the literal.
 */
export function formatStringLiteral(text: string): string {
  return `"${text.replace(/[^\p{L}\p{N} _.:/@+-]/gu, escaped)}"`;
}

function escaped(character: string): string {
  return character
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");
}
