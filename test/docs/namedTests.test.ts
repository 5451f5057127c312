import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { projectRoot } from "../../tools/projectRoot";
import { hasTest, namedTestsIn } from "./namedTests";

const read = (file: string) => readFileSync(join(projectRoot, file), "utf8");

const [attackers = []] = namedTestsIn(read("SECURITY.md").split("\n## Protection, by attacker\n")[1] ?? "");
const promises = namedTestsIn(read("test/README.md"));

describe("the table of adversaries", () => {
  it("has each of them", () => {
    expect(attackers.flatMap(({ cells: [who] }) => who || [])).toEqual([
      "the platform",
      "the archive's author",
      "a local user",
      "who writes to the journal's bucket",
      "a reader of logs and state",
      "a pull request",
      "who writes the state",
      "a web page",
      "who writes to the bucket",
      "a storage or a registry",
    ]);
  });

  it.each(attackers)("names a test that exists: cannot $cells.1", ({ file, title }) => {
    expect(hasTest(file, title)).toBe(true);
  });
});

describe("the tests of promises", () => {
  it("are named for each row of the page of behaviour that tells of requests, and of the end of a wait", () => {
    const events = (heading: string) => {
      const section = read("docs/behaviour.md").split(`\n## ${heading}\n`)[1] ?? "";
      const blocks = section.split("\n\n").map((block) => block.trim());
      const table = blocks.find((block) => block.startsWith("| ")) ?? "";
      return table
        .split("\n")
        .slice(2)
        .map((line) => line.slice(2).split(" | ")[0]);
    };
    const named = promises.map((rows) => rows.map(({ cells: [promise] }) => promise));
    expect(named.slice(0, 2)).toEqual([events("Requests"), events("How a wait ends")]);
    expect(named[2]?.length).toBeGreaterThan(30);
  });

  it.each(promises.flat())("exist: $cells.0", ({ file, title }) => {
    expect(hasTest(join("test", file), title)).toBe(true);
  });
});
