import { parseArgs } from "node:util";
import { costPart } from "./cost/part";
import { incumbentsPart } from "./incumbents/part";
import { isMissed, type Measurement } from "./measurement";
import { pacingPart } from "./pacing/part";

const { values } = parseArgs({ options: { only: { type: "string", multiple: true } } });

/** Measures every figure of the project, in about 20 minutes on an idle machine. `--only` selects parts. */
const parts: Record<string, () => Promise<Measurement>> = {
  pacing: () => pacingPart(4_000),
  cost: () => costPart([1, 300], 5),
  incumbents: () => incumbentsPart([33_000, 61_000, 94_000, 127_000]),
};

async function main(): Promise<void> {
  const done: Measurement[] = [];
  for (const [name, run] of Object.entries(parts)) {
    if (values.only?.includes(name) ?? true) {
      const part = await run();
      console.log(`\n## ${name}\n\n${part.text}`);
      done.push(part);
    }
  }
  const targets = done.flatMap((part) => part.targets);
  const missed = targets.filter(isMissed);
  console.log(`\n${targets.length} targets, ${missed.length} missed by more than a tenth`);
  for (const { name, value, limit } of targets.filter((each) => each.value > each.limit)) {
    console.log(`not met: ${name}: ${value.toFixed(2)}, at most ${limit}`);
  }
  const verdicts = targets.map(({ name, value, limit }) => [
    name,
    { value, limit, verdict: value <= limit ? "met" : "not met" },
  ]);
  const figures = Object.assign({}, ...done.map((part) => part.figures));
  console.log(JSON.stringify({ figures, targets: Object.fromEntries(verdicts) }, rounded));
  process.exitCode = missed.length > 0 ? 1 : 0;
}

function rounded(_: string, value: unknown): unknown {
  return typeof value === "number" && !Number.isInteger(value) ? Number(value.toPrecision(5)) : value;
}

void main();
