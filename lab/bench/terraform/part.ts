import { getTool } from "../../../tools/toolchain/getTool";
import { type BenchTarget, type Measurement, table } from "../part";
import { type AppliedConfiguration, ours, restapi } from "./plans";
import { startRatio } from "./start";

/**
 * The highest allowed ratios to the other provider, by the number of resources. Terraform starts three processes: a bare
 * Node.js with HTTP/2 takes 40 ms, and a process of the other provider 30. For 100 resources, Terraform itself takes
 * 300 ms beside this provider, the three starts 210, and 404 calls that are answered with nothing 55. This is 0.69 of
 * the other side, without any work of this provider, which takes some 75 ms more.
 */
const limits: Readonly<Record<number, number>> = { 1: 1.6, 100: 0.9, 300: 0.8 };

/**
 * Measures an unchanged plan of Terraform beside the generic provider for REST interfaces, and the process that
 * Terraform asks for the schema beside a Node.js that only loads HTTP/2. All sides take turns in one run.
 */
export async function terraformPart({ counts, rounds }: { counts: number[]; rounds: number }): Promise<Measurement> {
  const generic = await getTool("terraform-provider-restapi");
  const figures: Record<string, number> = {};
  const targets: BenchTarget[] = [];
  const rows = [["resources", "docsplatform, CPU ms", "requests", "restapi, CPU ms", "requests", "ratio"]];
  for (const count of counts) {
    const [mine, theirs] = await measure([await ours(count), await restapi(count, generic)], rounds);
    const ratio = mine.cpu / theirs.cpu;
    const cells = [count, mine.cpu, mine.requests, theirs.cpu, theirs.requests].map((value) =>
      String(Math.round(value)),
    );
    rows.push([...cells, ratio.toFixed(2)]);
    figures[`terraform plan of ${count}, CPU ms`] = mine.cpu;
    figures[`terraform plan of ${count} against restapi`] = ratio;
    targets.push({ name: `terraform plan of ${count}: requests`, value: mine.requests, limit: 0 });
    const limit = limits[count];
    if (limit !== undefined) {
      targets.push({ name: `terraform plan of ${count} against restapi`, value: ratio, limit });
    }
  }
  const start = await startRatio(rounds * 2);
  figures["terraform schema process against node with HTTP/2"] = start.ratio;
  targets.push({ name: "terraform schema process against node with HTTP/2", value: start.ratio, limit: 1.4 });
  const startText = `schema process ${start.provider.toFixed(0)} ms of CPU, node with HTTP/2 ${start.node.toFixed(0)} ms: ${start.ratio.toFixed(2)}`;
  return {
    name: "terraform",
    text: `${table(rows)}\n\nThe minimum of ${rounds} plans each. ${startText}.`,
    figures,
    targets,
  };
}

interface Measured {
  cpu: number;
  requests: number;
}

/** The minima of both sides, which take turns. */
async function measure(
  sides: readonly [AppliedConfiguration, AppliedConfiguration],
  rounds: number,
): Promise<[Measured, Measured]> {
  const [mine, theirs] = sides;
  const cpu = { mine: Number.POSITIVE_INFINITY, theirs: Number.POSITIVE_INFINITY };
  try {
    for (let round = 0; round < rounds; round++) {
      cpu.mine = Math.min(cpu.mine, await mine.plan());
      cpu.theirs = Math.min(cpu.theirs, await theirs.plan());
    }
    return [
      { cpu: cpu.mine, requests: await mine.requests() },
      { cpu: cpu.theirs, requests: await theirs.requests() },
    ];
  } finally {
    await Promise.all(sides.map((side) => side.close()));
  }
}
