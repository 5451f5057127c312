import { mkdirSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { costPart, shortCost } from "./cost/part";
import { fleetPart } from "./fleet/part";
import { incumbentsPart } from "./incumbents/part";
import { mirrorPart } from "./mirror/part";
import { longJobs, pacingPart, realDurations, shortJobs } from "./pacing/part";
import { isMissed, type Measurement } from "./part";
import { startUpPart } from "./startUp/part";
import { terraformPart } from "./terraform/part";

const { values } = parseArgs({
  options: { short: { type: "boolean", default: false }, only: { type: "string", multiple: true } },
});

const seconds = 1_000;
const gibibyte = 1024 ** 3;

/** Measures all figures that the project keeps, in some 30 minutes on an idle machine. `--only` selects parts. */
const long: Record<string, () => Promise<Measurement>> = {
  pacing,
  cost: () => costPart({ counts: [1, 300], rounds: 5, everyRun: true }),
  incumbents: () => incumbentsPart([33, 61, 94, 127].map((time) => time * seconds)),
  mirror: () => mirrorPart({ bytes: gibibyte, rounds: 3 }),
  startUp: () => startUpPart({ counts: [1, 100], rounds: 9 }),
  terraform: () => terraformPart({ counts: [1, 100, 300], rounds: 5 }),
  fleet: () => fleetPart({ counts: [1, 10, 40], atOnce: 4 * availableParallelism() }),
};

/** The targets of every build: those that noise cannot move. */
const short: typeof long = {
  pacing: () => pacingPart(shortJobs, []),
  cost: () => costPart(shortCost),
};

const parts = Object.entries(values.short ? short : long)
  .filter(([name]) => values.only?.includes(name) ?? true)
  .map(([, run]) => run);

async function pacing(): Promise<Measurement> {
  const part = await pacingPart(longJobs, realDurations);
  const folder = path.join(__dirname, "results");
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, "pacing.svg"), part.frontier);
  return part;
}

async function main(): Promise<void> {
  const done: Measurement[] = [];
  for (const run of parts) {
    const part = await run();
    console.log(`\n## ${part.name}\n\n${part.text}`);
    done.push(part);
  }
  const targets = done.flatMap((part) => part.targets);
  const missed = targets.filter(isMissed);
  const verdict = ({ value, limit }: (typeof targets)[number]) => (value <= limit ? "met" : "not met");
  console.log(`\n${targets.length} targets, ${missed.length} missed by more than a tenth`);
  for (const target of targets.filter((each) => each.value > each.limit)) {
    console.log(`not met: ${target.name}: ${target.value.toFixed(2)}, at most ${target.limit}`);
  }
  console.log(
    JSON.stringify(
      {
        figures: Object.assign({}, ...done.map((part) => part.figures)),
        targets: Object.fromEntries(
          targets.map((target) => [
            target.name,
            { value: target.value, limit: target.limit, verdict: verdict(target) },
          ]),
        ),
      },
      rounded,
    ),
  );
  process.exitCode = missed.length > 0 ? 1 : 0;
}

/** Figures are rounded to this precision. */
function rounded(_: string, value: unknown): unknown {
  return typeof value === "number" && !Number.isInteger(value) ? Number(value.toPrecision(5)) : value;
}

void main();
