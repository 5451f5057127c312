import { readPages, wordLimit } from "./pageText";

// `npm run check`: prints the words of each page and its long sentences, and fails if all pages together have too many
// words.
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
process.exitCode = total > wordLimit ? 1 : 0;
