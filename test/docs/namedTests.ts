import { readFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "../../tools/projectRoot";

/** A row of a table that names the test which shows it. */
export interface NamedTest {
  /** The other cells, from the first one on. */
  cells: string[];
  /** The file as the page links it, and the title; both empty if the last cell is no such link. */
  file: string;
  title: string;
}

/** Reads the tables of a page whose last column is `[name](file) "title"`, one list of rows for each table. */
export function namedTestsIn(text: string): NamedTest[][] {
  const tables = text.split("\n\n").filter((block) => /^\| .*\n\|---/.test(block.trim()));
  return tables.map((table) => table.trim().split("\n").slice(2).map(namedTest));
}

function namedTest(line: string): NamedTest {
  const cells = line
    .replace(/^\||\|$/g, "")
    .split(" | ")
    .map((cell) => cell.trim());
  const [, file = "", title = ""] = /^\[[^\]]+\]\((\S+\.ts)\) "([^"]+)"$/.exec(cells.pop() ?? "") ?? [];
  return { cells, file, title };
}

/** True if the file, by its path from the project's root, has a test of this title. */
export function hasTest(file: string, title: string): boolean {
  return readFileSync(join(projectRoot, file), "utf8").includes(`"${title}"`);
}
