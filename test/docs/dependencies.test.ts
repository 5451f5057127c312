import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { projectRoot } from "../../tools/projectRoot";

it("each dependency has its reason in CONTRIBUTING, and no other package has one", () => {
  const manifest = JSON.parse(readFileSync(join(projectRoot, "package.json"), "utf8"));
  const { dependencies, peerDependencies, devDependencies } = manifest;
  const text = readFileSync(join(projectRoot, "CONTRIBUTING.md"), "utf8");
  const section = text.split("## Dependencies, and why")[1]?.split("\n## ")[0] ?? "";
  const explained = [...section.matchAll(/^\| ([^|]+) \| [^|]+ \|$/gm)]
    .flatMap(([, names = ""]) => names.split(", "))
    .filter((name) => name !== "package");
  expect(explained.toSorted()).toEqual(
    [...new Set(Object.keys({ ...dependencies, ...peerDependencies, ...devDependencies }))].toSorted(),
  );
});
