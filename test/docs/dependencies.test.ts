import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { projectRoot } from "../../tools/projectRoot";

it("each dependency has its reason on the page of dependencies, and no other package has one", () => {
  const manifest = JSON.parse(readFileSync(join(projectRoot, "package.json"), "utf8"));
  const { dependencies, peerDependencies, devDependencies } = manifest;
  const text = readFileSync(join(projectRoot, "docs", "maintainers", "dependencies.md"), "utf8");
  const explained = [...text.matchAll(/^- ([^:]+): \S/gm)].flatMap(([, names = ""]) => names.split(", "));
  expect(explained.toSorted()).toEqual(
    [...new Set(Object.keys({ ...dependencies, ...peerDependencies, ...devDependencies }))].toSorted(),
  );
});
