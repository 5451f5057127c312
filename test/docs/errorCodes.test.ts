import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { projectRoot } from "../../tools/projectRoot";

function codesIn(file: string, pattern: RegExp): string[] {
  const text = readFileSync(join(projectRoot, file), "utf8");
  return [...text.matchAll(pattern)].map(([, code = ""]) => code).toSorted();
}

it("the troubleshooting table and the code know the same error codes", () => {
  const documented = codesIn("README.md", /^\| `(DOCS_[A-Z_]+)` \| [^`]/gm).filter(
    (code) => !code.startsWith("DOCS_PLATFORM_"),
  );
  const thrown = codesIn("provider/support/errors.ts", /readonly code = "(DOCS_[A-Z_]+)"/g);
  expect(thrown.length).toBeGreaterThan(0);
  expect(documented).toEqual(thrown);
});
