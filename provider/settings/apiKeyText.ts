/**
 * Returns why a text is not a bearer token (RFC 6750, 2.1), as the rest of a sentence that does not show the text;
 * undefined for a bearer token.
 */
export function bearerTokenProblem(text: string): string | undefined {
  if (/^[\w.~+/-]+=*$/.test(text)) {
    return undefined;
  }
  if (/^(["'`]).*\1$/s.test(text)) {
    return "has quotes around it: give it without them";
  }
  if (/^(authorization:\s*)?(bearer|basic|token)\s/i.test(text)) {
    return 'begins with a word such as "Bearer", which each request adds itself: give only the part after that word';
  }
  if (/[\r\n]/.test(text)) {
    return "has more than one line: give the key and nothing else";
  }
  if (/\s/.test(text)) {
    return "contains a space: give the key and nothing else";
  }
  return "is not a bearer token (RFC 6750): use only letters, digits and -._~+/, and = only at the end";
}

/**
 * Splits a command line into words, without a shell. Blanks separate the words. Single or double quotes hold a word
 * together, and in double quotes `\"` and `\\` stand for the characters themselves. Nothing is expanded.
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
