import { redact } from "./redact";

/** The longest line that is shown, in characters. Our own texts are much shorter. */
const longestLine = 4_000;

/**
 * Only this many characters of a text are searched for secrets, which takes about 30 ms. The shown part is much
 * shorter.
 */
const longestRead = 256 * 1_024;

/** Characters that control a terminal or a log: control and bidi characters, line ends, halves of characters. */
const unprintable = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu;

/** `##[…]` and `##vso[…]`: pipelines treat these as commands, also in the middle of a line. */
const inlineCommand = /##(?=\w*\[)/g;

/**
 * Returns a foreign text without a secret, cut to its beginning or its end. Only this function cuts texts that are
 * shown: if a text were cut before its secrets are found, a part of a secret could remain.
 * @param longest the length at which the text is cut, in characters.
 */
function excerpt(text: string, longest: number, kept: "begin" | "end" = "begin"): string {
  const redacted = redact(kept === "begin" ? text.slice(0, longestRead) : text.slice(-longestRead));
  if (redacted.length <= longest) {
    return redacted;
  }
  return kept === "begin" ? `${redacted.slice(0, longest)}…` : `…${redacted.slice(-longest)}`;
}

/**
 * Returns an {@link excerpt} as one line. The line controls no terminal and is no command of a pipeline (such as `::`).
 */
export function printable(text: string, longest = longestLine, kept: "begin" | "end" = "begin"): string {
  return harmless(excerpt(text, longest, kept));
}

/** Returns an output of several lines. No line controls a terminal or is a command of a pipeline. */
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
 * Returns a foreign text as a string literal of JavaScript, for a line that a person pastes into a program. Every
 * character is escaped by its number, except letters, digits and the usual characters of ids. So no later change of the
 * line, such as a redaction, can cut an escape in two and end the literal.
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
