import { redact } from "./redact";

/** The length of the longest line that is shown, in characters. Our own texts are much shorter. */
const longestLine = 4_000;

/** Characters that control a terminal or a log: control and bidi characters, line ends, halves of characters. */
const unprintable = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu;

/** `##[…]` and `##vso[…]`: pipelines treat these as commands, also in the middle of a line. */
const inlineCommand = /##(?=\w*\[)/g;

/**
 * Returns a foreign text as one line that is safe to show: nothing in it controls a terminal, and no pipeline treats it
 * as a command (such as a line that begins with `::`).
 * @param longest the length at which the text is cut, in characters.
 */
export function oneLine(text: string, longest: number): string {
  const cut = text.length > longest ? `${text.slice(0, longest)}…` : text;
  return cut.replace(unprintable, " ").replace(inlineCommand, "# #").trim().replace(/^::/, ": :");
}

/**
 * Returns one line for an error, a warning or a status. The line is the {@link oneLine} of the text, without any
 * secret, whatever foreign text it contains.
 */
export function printable(text: string, longest = longestLine): string {
  // The first cut limits the time of matching. It is twice as long as the line, so that a secret at this cut is not
  // shown in part.
  return oneLine(redact(text.slice(0, 2 * longest)), longest);
}

/**
 * Returns a foreign text as a string literal of JavaScript, for a line that a person pastes into a program. Every
 * character is escaped by its number, except letters, digits and the usual characters of ids. So no later change of the
 * line, such as a redaction, can cut an escape in two and end the literal.
 */
export function literal(text: string): string {
  return `"${text.replace(/[^\p{L}\p{N} _.:/@+-]/gu, escaped)}"`;
}

function escaped(character: string): string {
  return character
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");
}
