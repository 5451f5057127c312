import { stripVTControlCharacters } from "node:util";

/** Prints a line. For a terminal, a long line is broken at blanks and indented, so that no word is broken. */
export function printLine(line: string): void {
  console.log(folded(line, process.stdout.columns ?? Number.POSITIVE_INFINITY));
}

function folded(line: string, columns: number): string {
  let width = 0;
  const words = line.split(" ").map((word, index) => {
    const length = stripVTControlCharacters(word).length;
    const isBroken = index > 0 && width + 1 + length > columns;
    width = isBroken ? indent.length + length : width + (index > 0 ? 1 : 0) + length;
    return `${isBroken ? `\n${indent}` : index > 0 ? " " : ""}${word}`;
  });
  return words.join("");
}

const indent = " ".repeat(4);
