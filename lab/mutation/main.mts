import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Stryker } from "@stryker-mutator/core";
import { filesIn } from "../../tools/filesIn.js";
import { projectRoot } from "../../tools/projectRoot.js";
import { testsVariable } from "./vitest.config.mjs";

type MutantResult = Awaited<ReturnType<Stryker["runMutationTest"]>>[number];
type Options = ConstructorParameters<typeof Stryker>[0];

/**
 * For each folder, the tests that should notice a mutant of its code. Tests that start other processes, and tests that
 * change the code themselves, are left out.
 */
const testsOf: Record<string, string> = {
  engine: "test/{unit/provider/{engine,hosts},explore}/**/!(service|mutants).test.ts",
  resources: "test/unit/provider/resources/[!b]*.test.ts",
  polling: "test/unit/provider/polling/*.test.ts",
  journal: "test/unit/provider/journal/*.test.ts",
  mirror: "test/unit/provider/{mirror/**/*,resources/bundleMirror*}.test.ts",
  platform: "test/unit/provider/platform/*.test.ts",
  storage: "test/unit/provider/storage/**/!(libraries).test.ts",
};

/**
 * For each measurement, its source files. Default: all files of the folder with the measurement's name. The measurement
 * `mirror` also has the files of `resources` that are about mirrors.
 */
const sourcesOf: Record<string, RegExp> = {
  engine: /^engine\//,
  resources: /^resources\/(?!bundleMirror|image|mirror)/,
  mirror: /^(mirror\/|resources\/(bundleMirror|image|mirror))/,
};

/** A sample consists of whole blocks of this many lines. */
const blockLines = 10;

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});

/** Prints the mutation score of each folder of the provider, measured on a seeded sample of its lines. */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      folder: { type: "string", multiple: true, default: Object.keys(testsOf) },
      lines: { type: "string", default: "200" },
      seed: { type: "string", default: "1" },
      survivors: { type: "boolean", default: false },
      tests: { type: "boolean", default: false },
    },
  });
  console.log("folder     mutants   score  killed  timed out  survived  not covered");
  for (const folder of values.folder) {
    const mutants = await mutate(folder, sample(folder, Number(values.lines), values.seed), values.tests);
    console.log(row(folder, mutants));
    if (values.tests) {
      console.log(killsOfTests(mutants).join("\n"));
    }
    if (values.survivors) {
      console.log(mutants.filter(isMissed).map(describeMutant).join("\n"));
    }
  }
}

/**
 * Chooses the blocks with the smallest hashes. With the same seed, an unchanged block keeps its hash, and is usually
 * chosen again.
 */
function sample(folder: string, lines: number, seed: string): string[] {
  const isSource = sourcesOf[folder] ?? new RegExp(`^${folder}/`);
  const sources = filesIn(join(projectRoot, "provider")).filter((name) => isSource.test(name) && name.endsWith(".ts"));
  const blocks = sources.flatMap((name) => {
    const file = `provider/${name}`;
    const text = readFileSync(join(projectRoot, file), "utf8").split("\n");
    return Array.from({ length: Math.ceil(text.length / blockLines) }, (_, block) => {
      const content = text.slice(block * blockLines, (block + 1) * blockLines).join("\n");
      const hash = createHash("sha256").update(`${seed}\n${file}\n${content}`).digest("hex");
      return { range: `${file}:${block * blockLines + 1}-${(block + 1) * blockLines}`, hash };
    });
  });
  blocks.sort((a, b) => (a.hash < b.hash ? -1 : 1));
  return blocks.slice(0, Math.ceil(lines / blockLines)).map(({ range }) => range);
}

/** @param whole true to run all tests that reach a mutant. Otherwise the run stops at the first test that fails. */
function mutate(folder: string, ranges: readonly string[], whole: boolean): Promise<MutantResult[]> {
  process.env[testsVariable] = testsOf[folder];
  const options: Options = {
    testRunner: "vitest",
    vitest: { configFile: "lab/mutation/vitest.config.mts", related: false },
    plugins: ["@stryker-mutator/vitest-runner"],
    mutate: [...ranges],
    concurrency: availableParallelism(),
    coverageAnalysis: "perTest",
    disableBail: whole,
    // Stryker would run all tests for a static mutant, which takes minutes.
    ignoreStatic: true,
    // With a long limit, a test that waits on a busy machine does not count as an endless loop.
    timeoutMS: 20_000,
    ignorePatterns: ["dist", "coverage", "docs"],
    tempDirName: "dist/mutation",
    reporters: [],
    logLevel: "error" as NonNullable<Options["logLevel"]>,
    allowConsoleColors: false,
  };
  return new Stryker(options).runMutationTest();
}

function row(folder: string, mutants: readonly MutantResult[]): string {
  const count = (status: MutantResult["status"]) => mutants.filter((mutant) => mutant.status === status).length;
  const [killed, timedOut, survived, notCovered] = [
    count("Killed"),
    count("Timeout"),
    count("Survived"),
    count("NoCoverage"),
  ];
  const all = killed + timedOut + survived + notCovered;
  const score = `${((100 * (killed + timedOut)) / all).toFixed(1)} %`;
  const cells = [
    String(all).padStart(7),
    score.padStart(7),
    ...[killed, timedOut, survived, notCovered].map((n, i) => String(n).padStart([6, 9, 8, 11][i] ?? 0)),
  ];
  return `${folder.padEnd(10)} ${cells.join("  ")}`;
}

/**
 * For each test: how many mutants only this test kills, and how many mutants it kills in all. A test may be unnecessary
 * if other tests kill each of its mutants, too.
 */
function killsOfTests(mutants: readonly MutantResult[]): string[] {
  const finds = new Map<string, { alone: number; all: number }>();
  for (const { coveredBy = [], killedBy = [] } of mutants) {
    for (const test of coveredBy) {
      const { alone, all } = finds.get(test) ?? { alone: 0, all: 0 };
      const kills = killedBy.includes(test) ? 1 : 0;
      finds.set(test, { alone: alone + (killedBy.length === 1 ? kills : 0), all: all + kills });
    }
  }
  return [...finds]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([test, { alone, all }]) => `  ${String(alone).padStart(4)} of ${String(all).padStart(4)}  ${test}`);
}

function isMissed({ status }: MutantResult): boolean {
  return status === "Survived" || status === "NoCoverage";
}

function describeMutant({ fileName, location, replacement, status }: MutantResult): string {
  return `  ${fileName}:${location.start.line} ${status}: ${replacement}`;
}
