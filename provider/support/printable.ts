import { redact } from "./redact";

/** The longest line that is shown, in characters. Our own texts are far below it. */
const longestLine = 4_000;

/** What a terminal or a log obeys where it should show it: control and bidi characters, line ends, halves of characters. */
const unprintable = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu;

/** `##[…]` and `##vso[…]`: what logs of pipelines take for a command also in the middle of a line. */
const inlineCommand = /##(?=\w*\[)/g;

/**
 * A foreign text as one line that is shown and never obeyed: nothing in it controls a terminal, and no pipeline takes it for
 * a command, as it would a line that begins with `::`.
 * @param longest where it is cut, in characters.
 */
export function oneLine(text: string, longest: number): string {
  const cut = text.length > longest ? `${text.slice(0, longest)}…` : text;
  return cut.replace(unprintable, " ").replace(inlineCommand, "# #").trim().replace(/^::/, ": :");
}

/** One line of an error, a warning or a status: whatever foreign text stands in it, it is {@link oneLine} and shows no secret. */
export function printable(text: string, longest = longestLine): string {
  // Cut a first time before anything is matched; what is cut off here is no end that the second cut lets be seen.
  return oneLine(redact(text.slice(0, 2 * longest)), longest);
}

/**
 * A foreign text as a string literal of JavaScript, for a line that a person pastes into a program.
 * Every character but letters, digits and the usual ones of ids is escaped by its number, so that no later change of the
 * line, such as a redaction, can cut an escape in two and open the literal.
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
