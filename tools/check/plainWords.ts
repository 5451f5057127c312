/** The phrases that a reader must read twice, each with advice for a better one. */
const unplain: readonly (readonly [phrase: RegExp, advice: string])[] = [
  [/^[ \t]*\/\*\*?\s+(\* )?What /gm, "begin the comment with the thing itself"],
  [/(?<!^[ \t]*\/\/.*\n)^[ \t]*\/\/ What /gm, "begin the comment with its subject"],
  [/^#+ What /gm, "name the subject in the heading"],
  [/\bthat (is|are) none\b/g, 'say the fault, such as "invalid"'],
  [/\bis meant\b/g, "say the thing itself"],
  [/\bthe same, where\b/gi, "name the likeness and the difference"],
];

export function unplainWords(file: string, text: string): string[] {
  return unplain.flatMap(([phrase, advice]) =>
    [...text.matchAll(phrase)].map(({ 0: found, index }) => {
      const line = text.slice(0, index).split("\n").length;
      return `${file}:${line}: "${found.trim()}": ${advice}`;
    }),
  );
}
