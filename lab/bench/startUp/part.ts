import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startPlatform } from "../../../simulator/index";
import {
  bareNode,
  bareServer,
  firstCheck,
  measureStart,
  type StartCost,
  type StartedCommand,
} from "../../../test/support/pluginStart";
import { nodeFolder } from "../../../tools/processes/nodeFolder";
import { runTool } from "../../../tools/processes/runTool";
import { projectRoot } from "../../../tools/projectRoot";
import { nodeArchive } from "../../../tools/release/plugins/nodeArchive";
import { archiveOf, pluginRelease, version } from "../../../tools/release/plugins/release";
import { executableName, ownTarget } from "../../../tools/release/plugins/target";
import { type BenchTarget, type Measurement, median, table } from "../part";
import { unchangedUp } from "./yamlStack";

export interface StartUpForm {
  rounds: number;
  counts: readonly number[];
}

/** The supported versions of Node.js; the executable holds the last one. */
const versions = ["22", "24", "26"];

/** The highest allowed ratios to a bare `node -e 0` of the same version. */
const limits: Readonly<Record<string, number>> = { npm: 1.4, executable: 1.3 };

/** Measures the start of the plugin in each form beside a bare Node.js, and an unchanged `up` of a YAML program. */
export async function startUpPart({ rounds, counts }: StartUpForm): Promise<Measurement> {
  const folder = mkdtempSync(join(tmpdir(), "start-up-"));
  const platform = await startPlatform({ queueTime: 0, jobTime: 0 });
  try {
    const executable = await unpackedExecutable(folder);
    const starts = await measureStarts(await commands(folder, executable), rounds);
    const rows = [["resources", "npm package", "executable"]];
    const figures: Record<string, number> = {};
    for (const count of counts) {
      const [npm, single] = [
        median(await unchangedUp(count, platform, undefined, rounds)),
        median(await unchangedUp(count, platform, executable, rounds)),
      ];
      Object.assign(figures, { [`startUp.up.${count}.npm`]: npm, [`startUp.up.${count}.executable`]: single });
      rows.push([String(count), `${npm.toFixed(2)} s`, `${single.toFixed(2)} s`]);
    }
    const report = startUpReport(starts);
    const text = [report.text, "", "An `up` of a YAML program in which nothing changed", "", table(rows)].join("\n");
    return { ...report, text, figures: { ...report.figures, ...figures } };
  } finally {
    await platform.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * @param starts the measured starts, by the name of each form: `<form>, Node.js <version>`, or "bare" for a bare
 * Node.js.
 */
export function startUpReport(starts: ReadonlyMap<string, readonly StartCost[]>): Measurement {
  const rows = [["form", "first check", "processor", "ratio of time", "ratio of processor", "target"]];
  const figures: Record<string, number> = {};
  const targets: BenchTarget[] = [];
  const middle = (name: string, measure: keyof StartCost) =>
    median((starts.get(name) ?? []).map((each) => each[measure] ?? Number.NaN));
  for (const name of starts.keys()) {
    const [form = "", version] = name.split(", ");
    const limit = limits[form];
    const shown: string[] = [];
    for (const measure of ["time", "processor"] as const) {
      const [value, ratio] = [middle(name, measure), middle(name, measure) / middle(`bare, ${version}`, measure)];
      if (!Number.isNaN(value)) {
        figures[`startUp.${name}.${measure}`] = value;
        shown.push(ratio.toFixed(2));
        if (limit !== undefined) {
          targets.push({ name: `startUp.${name}.${measure}`, value: ratio, limit });
        }
      }
    }
    const times = [middle(name, "time"), middle(name, "processor")].map((value) => `${value.toFixed(0)} ms`);
    rows.push([name, ...times, ...shown, limit === undefined ? "" : `≤ ${limit}`]);
  }
  const text = ["From the plugin's start to its first check (medians)", "", table(rows)].join("\n");
  return { name: "startUp", text, figures, targets };
}

async function measureStarts(
  forms: Readonly<Record<string, StartedCommand>>,
  rounds: number,
): Promise<ReadonlyMap<string, StartCost[]>> {
  const starts = new Map(Object.keys(forms).map((name) => [name, [] as StartCost[]]));
  // The first round fills caches, and waits until they are written.
  for (let round = 0; round <= rounds; round++) {
    for (const [name, command] of Object.entries(forms)) {
      const settled = round > 0 ? 0 : 1_500;
      const answer = async (port: string) => {
        await firstCheck(port);
        await new Promise((resolve) => setTimeout(resolve, settled));
      };
      const measured = await measureStart(command, name.startsWith("bare") ? undefined : answer);
      if (round > 0) {
        starts.get(name)?.push(measured);
      }
    }
  }
  return starts;
}

async function commands(folder: string, executable: string): Promise<Record<string, StartedCommand>> {
  const main = join(projectRoot, "dist", "plugin", "main.js");
  const small = join(folder, "small");
  await unpack(await nodeArchive(), small);
  const environment = { PULUMI_HOME: join(folder, "home") };
  const bundled = join(small, "main.js");
  const found: Record<string, StartedCommand> = {};
  for (const version of versions) {
    const file = join(await nodeFolder(version), "node");
    found[`bare, Node.js ${version}`] = { file, args: bareNode };
    found[`bare server of HTTP/2, Node.js ${version}`] = { file, args: bareServer };
    found[`npm, Node.js ${version}`] = { file, args: [main], environment };
    found[`small archive, Node.js ${version}`] = { file, args: [bundled], environment };
  }
  return { ...found, [`executable, Node.js ${versions.at(-1)}`]: { file: executable, args: [], environment } };
}

async function unpackedExecutable(folder: string): Promise<string> {
  const single = join(folder, "single");
  await unpack(await readFile(await archiveOf(pluginRelease, ownTarget())), single);
  return join(single, executableName(pluginRelease.executable(version), ownTarget()));
}

async function unpack(archive: Buffer, folder: string): Promise<void> {
  mkdirSync(folder);
  writeFileSync(join(folder, "archive.tar.gz"), archive);
  const { ok, problem } = await runTool("tar", ["-xzf", "archive.tar.gz"], { cwd: folder });
  if (!ok) {
    throw new Error(`tar: ${problem}`);
  }
}
