import { redact } from "./redact";

/** The longest line that is shown, in characters. Our own texts are much shorter. */
const longestLine = 4_000;

/**
 * The longest text that is searched for secrets, in characters. The search takes about 30 ms. A longer text is first
 * cut to this length. A message shows a much shorter part of it.
 */
const longestRead = 256 * 1_024;

/**
 * Matches characters that control a terminal or a log: control characters, characters that change the direction of
 * text, line ends, and halves of surrogate pairs.
 */
const unprintable = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu;

/** Matches the beginning of `##[…]` and `##vso[…]`, which pipelines treat as commands, also in the middle of a line. */
const inlineCommand = /##(?=\w*\[)/g;

/**
 * Returns a text from another source without secrets, cut to its beginning or its end. Only this function cuts texts
 * for messages: if a text were cut before its secrets are found, a part of a secret could remain.
 * @param longest the length of the cut text, in characters.
 */
function excerpt(text: string, longest: number, kept: "begin" | "end" = "begin"): string {
  const redacted = redact(kept === "begin" ? text.slice(0, longestRead) : text.slice(-longestRead));
  if (redacted.length <= longest) {
    return redacted;
  }
  return kept === "begin" ? `${redacted.slice(0, longest)}…` : `…${redacted.slice(-longest)}`;
}

/**
 * Returns an {@link excerpt} as one line. The line contains no control characters, and no command of a pipeline (such
 * as `::`).
 */
export function printable(text: string, longest = longestLine, kept: "begin" | "end" = "begin"): string {
  return harmless(excerpt(text, longest, kept));
}

/** Returns an output of several lines. No line contains control characters or a command of a pipeline. */
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
 * Returns a text from another source as a string literal of JavaScript, for a line that a user pastes into a program.
 * Every character is escaped by its number, except letters, digits and the usual characters of ids. So a later change
 * of the line, such as a redaction, cannot cut an escape in two and end the literal.
 */
export function stringLiteral(text: string): string {
  return `"${text.replace(/[^\p{L}\p{N} _.:/@+-]/gu, escaped)}"`;
}

function escaped(character: string): string {
  return character
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");
}
