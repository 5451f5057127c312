import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { projectRoot } from "../../tools/projectRoot";

interface NamedTest {
  file: string;
  title: string;
}

const read = (file: string) => readFileSync(join(projectRoot, file), "utf8");

const attackers: Record<string, (NamedTest & { cannot: string })[]> = parse(read("test/docs/attackers.yaml"));
const promises: Record<string, (NamedTest & { promise: string })[]> = parse(read("test/docs/promises.yaml"));

const exists = ({ file, title }: NamedTest) => read(file).includes(`"${title}"`);

describe("the table of attackers", () => {
  it("has each of them", () => {
    expect(Object.keys(attackers)).toEqual([
      "the platform",
      "the archive's author",
      "a local user",
      "who writes to the journal's bucket",
      "a reader of logs and state",
      "a pull request",
      "who reads the state, without its secrets",
      "who writes the state",
      "a web page",
      "who writes to the bucket",
      "a storage or a registry",
      "who publishes a release",
    ]);
  });

  it.each(Object.entries(attackers).flatMap(([who, rows]) => rows.map((row) => ({ who, ...row }))))(
    "names a test that exists: $who cannot $cannot",
    (row) => {
      expect(exists(row)).toBe(true);
    },
  );
});

describe("the tests of promises", () => {
  it("are named for each row of the page of behaviour about requests, and about the end of a wait", () => {
    const events = (heading: string) => {
      const section = read("docs/behaviour.md").split(`\n## ${heading}\n`)[1] ?? "";
      const blocks = section.split("\n\n").map((block) => block.trim());
      const table = blocks.find((block) => block.startsWith("| ")) ?? "";
      return table
        .split("\n")
        .slice(2)
        .map((line) => line.slice(2).split(" | ")[0]);
    };
    const named = Object.entries(promises).map(([heading, rows]) => [heading, rows.map(({ promise }) => promise)]);
    expect(named.slice(0, 2)).toEqual(["Requests", "How a wait ends"].map((heading) => [heading, events(heading)]));
    expect(named[2]?.[1]?.length).toBeGreaterThan(30);
  });

  it.each(Object.values(promises).flat())("exist: $promise", (row) => {
    expect(exists(row)).toBe(true);
  });
});
