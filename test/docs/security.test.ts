import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { projectRoot } from "../../tools/projectRoot";

const read = (file: string) => readFileSync(join(projectRoot, file), "utf8");

const table = read("SECURITY.md").split("## Protection, by attacker")[1]?.split("\n## ")[0] ?? "";
const rows = table
  .split("\n")
  .filter((line) => line.startsWith("|"))
  .slice(2)
  .map((line) => line.split(" | "));

/** The file and the title of the test that a row of the page names. */
function testOf(cell = ""): [file: string, title: string] {
  const [, file = "", title = ""] = /^\[[^\]]+\]\((test\/\S+\.test\.ts)\) "([^"]+)" \|$/.exec(cell) ?? [];
  return [file, title];
}

describe("the table of adversaries", () => {
  it("has each of them", () => {
    expect(rows.map(([who = ""]) => who.replace("| ", "").trim()).filter((who) => who !== "|" && who !== "")).toEqual([
      "the platform",
      "the archive's author",
      "a local user",
      "who writes to the journal's bucket",
      "a reader of logs and state",
      "a pull request",
      "a web page",
      "who writes to the bucket",
      "a storage or a registry",
    ]);
  });

  it.each(rows.map(([, what = "", test]) => [what, ...testOf(test)] as const))(
    "names a test that exists: cannot %s",
    (_, file, title) => {
      expect(file).not.toBe("");
      expect(read(file)).toContain(`"${title}"`);
    },
  );
});
