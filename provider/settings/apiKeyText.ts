/** Returns the reason why a text is not a bearer token (RFC 6750, 2.1). The reason does not contain the text. */
export function bearerTokenProblem(text: string): string | undefined {
  return /^[\w.~+/-]+=*$/.test(text)
    ? undefined
    : 'is not a bearer token (RFC 6750): give the key alone, without quotes, blanks, or a word such as "Bearer" before it';
}

/**
 * Splits a command line at blanks, without a shell. Blanks in quotes do not split a word. In double quotes, `\"` means
 * `"`, and `\\` means `\`. Variables and wildcards are not expanded.
 */
export function splitCommand(text: string): readonly string[] | { problem: string } {
  const words: string[] = [];
  const rest = text.trim();
  const part = /"((?:[^"\\]|\\.)*)"|'([^']*)'|([^\s"']+)|(\s+)/gy;
  let word: string | undefined;
  while (part.lastIndex < rest.length) {
    const [, double, single, plain, blank] = part.exec(rest) ?? [];
    if (blank !== undefined) {
      words.push(word ?? "");
      word = undefined;
      continue;
    }
    const piece = double?.replace(/\\(["\\])/g, "$1") ?? single ?? plain;
    if (piece === undefined) {
      return { problem: "has a quote that is not closed" };
    }
    word = (word ?? "") + piece;
  }
  return word === undefined || words.concat(word)[0] === ""
    ? { problem: "must be a program with its arguments" }
    : [...words, word];
}
