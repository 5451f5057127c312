import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { forbiddenImports } from "../../../tools/check/checkImports";
import { importRules } from "../../../tools/check/importRules";
import { filesIn } from "../../../tools/filesIn";
import { projectRoot } from "../../../tools/projectRoot";

describe("import directions", () => {
  it.each([
    ["sdk/staticExport.ts", 'import { connect } from "../provider/platform/connect";'],
    ["provider/platform/client.ts", 'const late = () => import("../polling/pollJob.js");'],
    ["provider/resources/staticExport.ts", 'export { request } from "undici";'],
    ["examples/quickstart/index.ts", 'import { StaticExport } from "../../../sdk/index";'],
    ["elsewhere/file.ts", ""],
  ])("%s is refused: %s", (file, source) => {
    expect(forbiddenImports(file, source)).toHaveLength(1);
  });

  it("lead only down the table of folders in the README of provider, which has each of them", () => {
    const files = filesIn(join(projectRoot, "provider")).filter((file) => file.endsWith(".ts"));
    const folders = new Set(files.flatMap((file) => /^([^/]+)\//.exec(file)?.[1] ?? []));
    const isIn = (folder: string) => (file: string) => file.startsWith(`${folder}/`);
    const mayImport = (from: string, to: string) =>
      files.filter(isIn(from)).some((file) => {
        const rule = importRules.find(({ from: pattern }) => pattern.test(`provider/${file}`));
        return files.filter(isIn(to)).some((target) => rule?.allowed.test(`provider/${target.replace(/\.ts$/, "")}`));
      });
    const page = readFileSync(join(projectRoot, "provider", "README.md"), "utf8");
    const listed = [...page.matchAll(/^\| (\w+)\/ \|/gm)].map(([, folder = ""]) => folder);
    expect(listed.toSorted()).toEqual([...folders].toSorted());
    const permitted = listed.flatMap((from) =>
      listed.filter((to) => to !== from && mayImport(from, to)).map((to) => ({ from, to })),
    );
    expect(permitted.length).toBeGreaterThan(listed.length);
    expect(permitted.filter(({ from, to }) => listed.indexOf(to) < listed.indexOf(from))).toEqual([]);
  });
});
