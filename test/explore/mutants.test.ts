import { spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { projectRoot } from "../../tools/projectRoot";
import { campaign } from "../support/campaign";
import { noteLines } from "../support/campaignResults";
import { mutants } from "./mutants";

let copy: string;
beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), "mutants-"));
  for (const path of ["provider", "sdk", "test/explore", "test/support", "package.json", "tsconfig.json"]) {
    mkdirSync(join(copy, path, ".."), { recursive: true });
    cpSync(join(projectRoot, path), join(copy, path), { recursive: true });
  }
  symlinkSync(join(projectRoot, "node_modules"), join(copy, "node_modules"));
});
afterAll(() => rmSync(copy, { recursive: true, force: true }));

/** Returns the explorer's verdict on the copy. */
function explored(engine = "pulumi"): Promise<{ code: number | null; told: string }> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ["--import", "tsx", "test/explore/main.ts", engine], { cwd: copy });
    let told = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (chunk) => {
        told += chunk;
      });
    }
    child.on("close", (code) => resolve({ code, told }));
  });
}

/** `npm test` proves by two mutants that bugs are found. The campaign tries all of them. */
const [ofPulumi, ofTerraform] = [mutants[0], mutants.find(({ engine }) => engine === "terraform")];
const some = [ofPulumi, ofTerraform].filter((mutant) => mutant !== undefined);

describe("a bug in the provider is found by the explorer", () => {
  it.each(campaign ? mutants : some)(
    "$name",
    async ({ name, file, from, to, engine }) => {
      const path = join(copy, file);
      const text = readFileSync(path, "utf8");
      expect(text).toContain(from);
      writeFileSync(
        path,
        text.replace(from, () => to),
      );
      try {
        const { code, told } = await explored(engine);
        if (campaign) {
          noteLines([`mutant: ${name}: ${/^found in .*$/m.exec(told)?.[0] ?? "not found"}`]);
        }
        expect({ code, isFound: /^=> [A-Z ]+: /m.test(told) }, told.slice(-2_000)).toEqual({ code: 1, isFound: true });
      } finally {
        writeFileSync(path, text);
      }
    },
    600_000,
  );
});
