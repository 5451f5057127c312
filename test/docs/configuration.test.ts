import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { allSettings, settingsAcceptedFrom } from "../../provider/settings/settingTable";
import { projectRoot } from "../../tools/projectRoot";
import { documents } from "./documents";

const variablesIn = (path: string): string[] =>
  readFileSync(join(projectRoot, path), "utf8").match(/\bDOCS_PLATFORM_[A-Z_]+[A-Z]\b/g) ?? [];

const page = "docs/configuration.md";
const rows = readFileSync(join(projectRoot, page), "utf8")
  .split("\n")
  .filter((line) => line.startsWith("| "))
  .map((line) => line.split(" | "));

describe("the table of settings", () => {
  it.each(allSettings)("tells how to give $name, and the default", ({ name, variable, from, fallback, optional }) => {
    const row = rows.find(([, environment]) => environment === `\`${variable}\``);
    const inStack = from.includes("config") ? `\`docs-platform:${name}\`` : "none";
    expect(row?.[2]).toContain(inStack);
    const without = fallback === undefined ? (optional ? /^(?!required)/ : /^required/) : `\`${fallback}\``;
    expect(row?.[3]).toMatch(without);
  });

  it("names no other setting of the stack", () => {
    const told = rows.flatMap(([, , config]) => /`docs-platform:(\w+)`/.exec(config ?? "")?.[1] ?? []);
    expect(told.toSorted()).toEqual(
      settingsAcceptedFrom("config")
        .map(({ name }) => name)
        .toSorted(),
    );
  });
});

it("the page on configuration has every variable that a page or an example names", () => {
  const others = documents.filter((path) => /^(README\.md|docs\/|examples\/)/.test(path) && path !== page);
  const named = new Set(others.flatMap(variablesIn));
  expect(named.size).toBeGreaterThan(10);
  expect([...named].filter((name) => !variablesIn(page).includes(name))).toEqual([]);
});
