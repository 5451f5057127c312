import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { projectRoot } from "../../tools/projectRoot";

const page = readFileSync(join(projectRoot, "docs", "troubleshooting.md"), "utf8");

function matches(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([, found = ""]) => found);
}

const errors = readFileSync(join(projectRoot, "provider", "support", "errors.ts"), "utf8");
const thrown = matches(errors, /(?:readonly code = |ailure\()"(DOCS_[A-Z_]+)"/g);

describe("the page of error codes", () => {
  it("has a section for each code that the code knows, and no other", () => {
    expect(thrown.length).toBeGreaterThan(0);
    expect(matches(page, /^## (DOCS_\w+)$/gm).toSorted()).toEqual(thrown.toSorted());
  });

  it.each(thrown)("shows cause, what exists and what to do: %s", (code) => {
    const section = page.split(`\n## ${code}\n`)[1]?.split("\n## ")[0] ?? "";
    expect(matches(section, /^\*\*(.*?)\.\*\* \S/gm)).toEqual(["Cause", "What exists", "What to do"]);
  });
});
