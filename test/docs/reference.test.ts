import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { referencePages } from "../../tools/commands/docs/reference.mjs";
import { projectRoot } from "../../tools/projectRoot";

it("the reference is what the docstrings say: `npm run docs` draws it anew", async () => {
  const folder = join(projectRoot, "docs", "reference");
  const pages = new Map(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), "utf8")]));
  expect(Object.fromEntries(pages)).toEqual(Object.fromEntries(await referencePages()));
});

it("every name that a program can import has its place in the reference", () => {
  const index = readFileSync(join(projectRoot, "sdk", "index.ts"), "utf8");
  const exported = [...index.matchAll(/\{([^}]*)\}/g)]
    .flatMap(([, list = ""]) => list.split(","))
    .map((name) => name.replace("type ", "").trim())
    .filter((name) => name !== "");
  const folder = join(projectRoot, "docs", "reference");
  const text = readdirSync(folder)
    .map((name) => readFileSync(join(folder, name), "utf8"))
    .join("\n");
  expect(exported.length).toBeGreaterThan(10);
  expect(exported.filter((name) => !new RegExp(`^## ${name}(\\(\\))?$`, "m").test(text))).toEqual([]);
});
