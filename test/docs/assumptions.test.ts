import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { resources } from "../../provider/definitions/index";
import { allSettings } from "../../provider/support/settingTable";
import { filesIn } from "../../tools/filesIn";
import { projectRoot } from "../../tools/projectRoot";

const page = readFileSync(join(projectRoot, "docs", "assumptions.md"), "utf8");
const rows = page
  .split("\n")
  .filter((line) => /^\| (?!not shown)/.test(line))
  .map((line) => line.split("|").map((cell) => cell.trim()));

it("each test that the page of assumptions names exists", () => {
  const tests = filesIn(join(projectRoot, "test")).map((file) => file.replace(/^.*[\\/]/, ""));
  const named = rows.flatMap((cells) =>
    [...(cells[5] ?? "").matchAll(/`([^`]+)`/g)].map(([, name]) => `${name}.test.ts`),
  );
  expect(rows.length).toBeGreaterThan(30);
  expect(
    named.filter((name) => !tests.includes(name) && !tests.includes(name.replace(".test.ts", ".property.test.ts"))),
  ).toEqual([]);
});

it("each setting and input that the page of assumptions names exists", () => {
  const inputs = Object.values(resources).flatMap((resource) =>
    Object.keys({ ...resource.inputs, ...resource.copies }),
  );
  const named = rows.flatMap((cells) => [...(cells[4] ?? "").matchAll(/`([^`]+)`/g)].map(([, name]) => String(name)));
  expect(
    named.filter((name) => !inputs.includes(name) && !allSettings.some((setting) => setting.name === name)),
  ).toEqual([]);
});
