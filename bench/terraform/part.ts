import { executablesOnPath } from "../../tools/processes/executables";
import { type Part, type Target, table } from "../part";
import { ours, restapi, type Side } from "./plans";
import { startRatio } from "./start";

/**
 * A plan of Terraform that finds nothing to do, beside the generic provider for REST interfaces where
 * `terraform-provider-restapi` is on PATH (`go build` in the folder of its module, github.com/Mastercard/terraform-provider-restapi
 * v1.20.0, makes it); and
 * the start of the process that is asked for the schema, beside a bare Node.js. All sides take turns in one run.
 */
export async function terraformPart({ counts, rounds }: { counts: number[]; rounds: number }): Promise<Part> {
  const [generic] = executablesOnPath("terraform-provider-restapi");
  const figures: Record<string, number> = {};
  const targets: Target[] = [];
  const rows = [["resources", "docsplatform, CPU ms", "requests", "restapi, CPU ms", "requests", "ratio"]];
  for (const count of counts) {
    const sides = [await ours(count), ...(generic === undefined ? [] : [await restapi(count, generic)])];
    const [mine, theirs] = await measure(sides, rounds);
    const ratio = mine !== undefined && theirs !== undefined ? mine.cpu / theirs.cpu : undefined;
    rows.push([count, mine?.cpu, mine?.requests, theirs?.cpu, theirs?.requests, ratio?.toFixed(2)].map(cell));
    figures[`terraform plan of ${count}, CPU ms`] = mine?.cpu ?? Number.NaN;
    targets.push({ name: `terraform plan of ${count}: requests`, value: mine?.requests ?? Number.NaN, limit: 0 });
    if (ratio !== undefined && count >= 300) {
      targets.push({ name: `terraform plan of ${count} against restapi`, value: ratio, limit: 1 });
    }
  }
  const start = await startRatio(rounds * 2);
  figures["terraform schema process against bare node"] = start.ratio;
  targets.push({ name: "terraform schema process against bare node", value: start.ratio, limit: 1.6 });
  const startText = `schema process ${start.provider.toFixed(0)} ms of CPU, bare node ${start.bare.toFixed(0)} ms: ${start.ratio.toFixed(2)}`;
  return {
    name: "terraform",
    text: `${table(rows)}\n\nThe minimum of ${rounds} plans each. ${startText}.`,
    figures,
    targets,
  };
}

async function measure(sides: readonly Side[], rounds: number): Promise<{ cpu: number; requests: number }[]> {
  try {
    const cpu = sides.map(() => Number.POSITIVE_INFINITY);
    for (let round = 0; round < rounds; round++) {
      for (const [index, side] of sides.entries()) {
        cpu[index] = Math.min(cpu[index] ?? 0, await side.plan());
      }
    }
    const requests: number[] = [];
    for (const side of sides) {
      requests.push(await side.requests());
    }
    return cpu.map((value, index) => ({ cpu: value, requests: requests[index] ?? Number.NaN }));
  } finally {
    await Promise.all(sides.map((side) => side.close()));
  }
}

function cell(value: string | number | undefined): string {
  return value === undefined ? "–" : typeof value === "number" ? String(Math.round(value)) : value;
}
