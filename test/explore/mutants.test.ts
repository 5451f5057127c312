import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { build, type Plugin } from "esbuild";
import { describe, expect, it } from "vitest";
import { projectRoot } from "../../tools/projectRoot";
import { campaign } from "../support/campaign";
import { noteLines } from "../support/campaignResults";
import { folderOfFile } from "../support/temporaryFolder";
import { type Mutant, mutants } from "./mutants";

const folder = folderOfFile();

async function bundleOf(mutant: Mutant): Promise<string> {
  const outfile = join(folder, `${mutants.indexOf(mutant)}.js`);
  await build({
    absWorkingDir: projectRoot,
    entryPoints: ["test/explore/main.ts"],
    outfile,
    bundle: true,
    packages: "external",
    platform: "node",
    format: "cjs",
    // Node.js uses NODE_PATH only for `require`, so esbuild replaces each `import()` by `require`.
    supported: { "dynamic-import": false },
    plugins: [bugOf(mutant)],
  });
  return outfile;
}

function bugOf({ file, from, to }: Mutant): Plugin {
  const path = join(projectRoot, file);
  const text = readFileSync(path, "utf8");
  expect(text).toContain(from);
  const contents = text.replace(from, () => to);
  return {
    name: "bug",
    setup({ onLoad }) {
      onLoad({ filter: /\.ts$/ }, (args) => (args.path === path ? { contents, loader: "ts" } : undefined));
    },
  };
}

/** Runs the explorer on a provider with this bug. */
async function explored(mutant: Mutant): Promise<{ code: number | null; output: string }> {
  const outfile = await bundleOf(mutant);
  const env = { ...process.env, NODE_PATH: join(projectRoot, "node_modules") };
  return new Promise((resolve) => {
    const child = spawn(process.execPath, mutant.script === undefined ? [outfile] : [outfile, mutant.script], { env });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (chunk) => {
        output += chunk;
      });
    }
    child.on("close", (code) => resolve({ code, output }));
  });
}

/** `npm test` plays only two mutants. The campaign plays all. */
const ofTerraform = mutants.filter(({ script }) => script?.startsWith("Terraform"));
const some = [...mutants.slice(0, 1), ...ofTerraform.slice(0, 1)];

describe("a bug in the provider is found by the explorer", () => {
  it("if it changes code that is there", () => {
    const isThere = ({ file, from }: Mutant) => readFileSync(join(projectRoot, file), "utf8").includes(from);
    expect(mutants.filter((mutant) => !isThere(mutant)).map(({ name }) => name)).toEqual([]);
  });

  it.concurrent.each(campaign ? mutants : some)(
    "$name",
    async (mutant) => {
      const { code, output } = await explored(mutant);
      if (campaign) {
        noteLines([`mutant: ${mutant.name}: ${/^found in .*$/m.exec(output)?.[0] ?? "not found"}`]);
      }
      expect({ code, isFound: /^=> [A-Z ]+: /m.test(output) }, output.slice(-2_000)).toEqual({
        code: 1,
        isFound: true,
      });
    },
    600_000,
  );
});
