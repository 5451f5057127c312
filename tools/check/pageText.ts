import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import MarkdownIt from "markdown-it";
import { projectRoot } from "../projectRoot";

/** The check prints sentences with more words than this. */
const longSentence = 25;

/** The most words that all pages together may have. */
export const wordLimit = 12_500;

export interface PageText {
  path: string;
  words: number;
  longSentences: string[];
}

const markdown = new MarkdownIt();
/** The platform's own text, and the pages that `npm run docs` generates. */
const foreign = ["admin-api.md", "_index.md", "installation-configuration.md"];

/** README, docs and guides. */
export function readPages(): PageText[] {
  const own = (folder: string) =>
    readdirSync(join(projectRoot, folder))
      .filter((name) => name.endsWith(".md") && !foreign.includes(name))
      .map((name) => `${folder}/${name}`);
  return ["README.md", ...own("docs"), ...own("docs/guides")].map((path) => ({
    path,
    ...measure(readFileSync(join(projectRoot, path), "utf8")),
  }));
}

/** Counts the words that a reader sees: without blocks of code and without the targets of links. */
export function measure(page: string): { words: number; longSentences: string[] } {
  const texts = markdown.parse(page, {}).flatMap(({ type, children }) => (type === "inline" ? [textOf(children)] : []));
  const sentences = texts.flatMap((text) => text.split(/(?<=[.:;?!])\s+(?=[\p{Lu}`"(])/u));
  return {
    words: texts.reduce((sum, text) => sum + wordsOf(text), 0),
    longSentences: sentences.filter((sentence) => wordsOf(sentence) > longSentence),
  };
}

function textOf(tokens: MarkdownIt.Token[] | null): string {
  return (tokens ?? [])
    .map(({ type, content }) => (type === "softbreak" ? " " : type === "image" ? "" : content))
    .join("");
}

function wordsOf(text: string): number {
  return text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
}
