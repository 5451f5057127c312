import { readFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "../projectRoot";
import { unplainWords } from "./plainWords";
import { sourcesIn } from "./sources";

// `npm run check`: counts the words of users' pages, and fails at a phrase that a reader must read twice.
const readPage = (file: string) => [file, readFileSync(join(projectRoot, file), "utf8")] as const;
const markdown = /(?<!admin-api)\.md$/;
const pages = [readPage("README.md"), ...sourcesIn(["docs"], markdown)];
const folders = ["sdk", "provider", "simulator", "tools", "lab", "test", "examples"];
const texts = [
  ...pages,
  ...sourcesIn(folders),
  ...sourcesIn(folders, markdown),
  ...["CONTRIBUTING.md", "SECURITY.md"].map(readPage),
];
const problems = texts.flatMap(([file, text]) => unplainWords(file, text));
const words = pages
  .filter(([file]) => !file.startsWith("docs/reference/"))
  .flatMap(([, text]) => text.replaceAll(/^```[\s\S]*?^```/gm, "").match(/[\p{L}\p{N}]\S*/gu) ?? []);
console.log([...problems, `${words.length} words in README.md and docs, without code and reference`].join("\n"));
process.exitCode = problems.length > 0 ? 1 : 0;
