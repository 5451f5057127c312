import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { projectRoot } from "../../../tools/projectRoot";

it("the linter refuses private for a member of a class, and allows it for a constructor", () => {
  const folder = mkdtempSync(join(tmpdir(), "lint-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const plugins = [join(projectRoot, "tools", "check", "noPrivateMembers.grit")];
  writeFileSync(join(folder, "biome.json"), JSON.stringify({ plugins }));
  const lines = [
    "export class Example {",
    "  private field = 1;",
    "  private static method() {}",
    "  private constructor(private readonly parameter: number) {}",
    "}",
    "export class Allowed {",
    "  #field = 1;",
    "  private constructor() {}",
    "}",
  ];
  writeFileSync(join(folder, "example.ts"), lines.join("\n"));
  const biome = join(projectRoot, "node_modules", ".bin", "biome");
  const { stderr } = spawnSync(biome, ["lint", "--only=plugin", "."], { cwd: folder, encoding: "utf8" });
  const found = [...stderr.matchAll(/example\.ts:(\d+:\d+) plugin/g)].map(([_, place]) => place);
  expect(found).toEqual(["2:3", "3:3", "4:23"]);
});
