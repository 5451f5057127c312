import { readFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "../projectRoot";
import { readPages, wordLimit } from "./pageText";
import { unplainWords } from "./plainWords";
import { sourcesIn } from "./sources";

// `npm run check`: prints the words of each page and its long sentences. Fails if all pages together have too many
// words, or if a page or a source has a phrase that is read twice.
const pages = readPages();
for (const { path, words, longSentences } of pages) {
  console.log(
    `${String(words).padStart(6)} words, ${String(longSentences.length).padStart(2)} long sentences  ${path}`,
  );
  if (process.argv.includes("--show")) {
    for (const sentence of longSentences) {
      console.log(`        ${sentence}`);
    }
  }
}
const total = pages.reduce((sum, { words }) => sum + words, 0);
const long = pages.reduce((sum, { longSentences }) => sum + longSentences.length, 0);
console.log(
  `${String(total).padStart(6)} words, ${long} long sentences of all pages; at most ${wordLimit} words are allowed`,
);
const folders = ["sdk", "provider", "simulator", "tools", "lab", "test", "examples"];
const texts = [
  ...sourcesIn(folders),
  ...sourcesIn([...folders, "docs"], /(?<!admin-api)\.md$/),
  ...["README.md", "CONTRIBUTING.md", "SECURITY.md"].map(
    (file) => [file, readFileSync(join(projectRoot, file), "utf8")] as const,
  ),
];
const problems = texts.flatMap(([file, text]) => unplainWords(file, text));
for (const problem of problems) {
  console.log(problem);
}
process.exitCode = total > wordLimit || problems.length > 0 ? 1 : 0;
