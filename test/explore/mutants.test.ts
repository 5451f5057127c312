import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build, type Plugin } from "esbuild";
import { afterAll, describe, expect, it } from "vitest";
import { projectRoot } from "../../tools/projectRoot";
import { campaign } from "../support/campaign";
import { noteLines } from "../support/campaignResults";
import { type Mutant, mutants } from "./mutants";

const folder = mkdtempSync(join(tmpdir(), "mutants-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** By the name of the bug; that of the provider as it is has none. */
const bundles = new Map<string | undefined, Promise<string>>();

/** Bundles the explorer with a provider that has this bug, or with the provider as it is. */
function bundleOf(mutant?: Mutant): Promise<string> {
  const bundle = bundles.get(mutant?.name) ?? bundled(mutant);
  bundles.set(mutant?.name, bundle);
  return bundle;
}

async function bundled(mutant: Mutant | undefined): Promise<string> {
  const outfile = join(folder, `${bundles.size}.js`);
  await build({
    absWorkingDir: projectRoot,
    entryPoints: ["test/explore/main.ts"],
    outfile,
    bundle: true,
    packages: "external",
    platform: "node",
    format: "cjs",
    // Packages are found by NODE_PATH, which `import()` does not heed.
    supported: { "dynamic-import": false },
    plugins: mutant === undefined ? [] : [bugOf(mutant)],
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

/** Returns the explorer's verdict on a provider with this bug: what it finds does not show without the bug. */
async function explored(
  mutant: Mutant,
  engine = mutant.engine ?? "pulumi",
): Promise<{ code: number | null; told: string }> {
  const { first = "" } = mutant;
  const [outfile, sound] = await Promise.all([bundleOf(mutant), bundleOf()]);
  const env = { ...process.env, NODE_PATH: join(projectRoot, "node_modules") };
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [outfile, engine, first, sound], { env });
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
  it("if it changes code that is there", () => {
    const isThere = ({ file, from }: Mutant) => readFileSync(join(projectRoot, file), "utf8").includes(from);
    expect(mutants.filter((mutant) => !isThere(mutant)).map(({ name }) => name)).toEqual([]);
  });

  it("in drawn schedules, too, and is told as a short story", async () => {
    const [mutant] = some as [Mutant];
    const { code, told } = await explored(mutant, "sampled");
    const story = told.slice(told.indexOf("--- "), told.indexOf("found in")).trim().split("\n");
    const count = (begin: string) => story.filter((line) => line.startsWith(begin)).length;
    expect({ code, ends: count("! "), rules: count("=> ") }, told).toEqual({ code: 1, ends: 1, rules: 1 });
    // The last run shows that nothing changes any more.
    expect(count("--- "), told).toBeLessThanOrEqual(3);
    expect(story.length, told).toBeLessThanOrEqual(25);
  }, 600_000);

  it.concurrent.each(campaign ? mutants : some)(
    "$name",
    async (mutant) => {
      const { code, told } = await explored(mutant);
      if (campaign) {
        noteLines([`mutant: ${mutant.name}: ${/^found in .*$/m.exec(told)?.[0] ?? "not found"}`]);
      }
      expect({ code, isFound: /^=> [A-Z ]+: /m.test(told) }, told.slice(-2_000)).toEqual({ code: 1, isFound: true });
    },
    600_000,
  );
});
