import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import schema from "../../plugin/schema.json";
import { referencePages } from "../../tools/docs/reference.mjs";
import { registryPages } from "../../tools/docs/registryPages.mjs";
import { projectRoot } from "../../tools/projectRoot";

it("the reference is what the docstrings say: `npm run docs` draws it again", async () => {
  const folder = join(projectRoot, "docs", "reference");
  const pages = new Map(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), "utf8")]));
  expect(Object.fromEntries(pages)).toEqual(Object.fromEntries(await referencePages()));
});

it("the pages of Pulumi's registry are what the docstrings say: `npm run docs` draws them again", () => {
  for (const [name, text] of registryPages()) {
    expect(readFileSync(join(projectRoot, "docs", name), "utf8")).toBe(text);
  }
});

it("Pulumi's registry shows a logo of this repository: a square PNG, since other registries refuse SVG", () => {
  const [, file = ""] = /^https:\/\/raw\.githubusercontent\.com\/[^/]+\/[^/]+\/main\/(.+)$/.exec(schema.logoUrl) ?? [];
  const png = readFileSync(join(projectRoot, file));
  expect(png.subarray(1, 4).toString()).toBe("PNG");
  expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([128, 128]);
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
  expect(exported.filter((name) => !new RegExp(`^(##? ${name}(\\(\\))?$|\`${name}\`: )`, "m").test(text))).toEqual([]);
});

it("a page begins with an example and the inputs, ends with the signature, and has each title once", () => {
  const folder = join(projectRoot, "docs", "reference");
  const pages = readdirSync(folder).filter((name) => !["README.md", "terraform.md"].includes(name));
  expect(pages.length).toBeGreaterThan(8);
  for (const page of pages) {
    const titles = readFileSync(join(folder, page), "utf8").match(/(?<=^##? ).*/gm) ?? [];
    expect(titles.slice(0, 3), page).toEqual([page.replace(".md", ""), "Example", "Inputs"]);
    expect(titles.at(-1), page).toBe("Signature");
    expect(titles, page).toHaveLength(new Set(titles).size);
  }
});
