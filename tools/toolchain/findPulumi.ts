import { realpathSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { executablesOnPath, isExecutable } from "../processes/executables";
import { findOrBuild, ToolNotMade } from "./findOrBuild";
import { printProgressLine } from "./progress";
import {
  languageHost,
  officialRelease,
  oldestGo,
  oldestPulumi,
  ownBuild,
  problemOfPulumi,
  pulumiVersion,
} from "./pulumiRecipes";

/** The message names the three ways to get the CLI, and why each way failed. */
export class PulumiNotFound extends Error {
  override readonly name = "PulumiNotFound";
}

/** Returns a folder with `pulumi` and its Node.js hosts: from PATH, from the npm package `pulumi`, or from a build. */
export async function findPulumi(): Promise<string> {
  const onPath = await pulumiOnPath();
  if ("folder" in onPath) {
    return onPath.folder;
  }
  try {
    return await findOrBuild([officialRelease(), ownBuild()]);
  } catch (error) {
    throw error instanceof ToolNotMade ? new PulumiNotFound(explain([onPath.problem, ...error.problems])) : error;
  }
}

function explain(problems: readonly string[]): string {
  const version = pulumiVersion();
  const ways = [
    `Install Pulumi ${oldestPulumi} or later and put it on PATH.`,
    `Allow the download of the npm package \`pulumi\` ${version}, and of the official release that it fetches.`,
    `Install Go ${oldestGo()} or later and put it on PATH: Pulumi is then built from its public Go modules.`,
  ];
  const lines = ways.flatMap((way, index) => [
    `  ${index + 1}. ${way}`,
    `     Now: ${(problems[index] ?? "").split("\n").join("\n          ")}`,
  ]);
  return ["No Pulumi command line was found, and none could be had. Any one of these is enough:", ...lines].join("\n");
}

type Found = { readonly folder: string } | { readonly problem: string };

/** Returns the first `pulumi` on PATH that works, or a problem that says for each `pulumi` why it does not work. */
async function pulumiOnPath(): Promise<Found> {
  const problems: string[] = [];
  for (const pulumi of executablesOnPath("pulumi")) {
    const found = await prove(pulumi);
    if ("folder" in found) {
      return found;
    }
    printProgressLine(`passing over ${pulumi}: ${found.problem}`);
    problems.push(`${pulumi}: ${found.problem}`);
  }
  return { problem: problems.length === 0 ? "there is no `pulumi` on PATH" : problems.join("\n") };
}

async function prove(pulumi: string): Promise<Found> {
  const real = realpathSync(pulumi);
  if (real.includes(`${sep}node_modules${sep}pulumi${sep}`)) {
    // Even to print a version, the downloader may download Pulumi. A search on PATH must download nothing.
    return { problem: "it is the npm package's downloader, not Pulumi itself" };
  }
  const problem = await problemOfPulumi(pulumi);
  if (problem !== "") {
    return { problem };
  }
  const beside = [dirname(pulumi), dirname(real)].find((folder) => isExecutable(join(folder, languageHost)));
  if (beside !== undefined) {
    return { folder: beside };
  }
  const elsewhere = executablesOnPath(languageHost)[0];
  if (elsewhere === undefined) {
    return { problem: `no ${languageHost} beside it or on PATH` };
  }
  printProgressLine(`using ${pulumi} with the language host ${elsewhere}`);
  return { folder: dirname(pulumi) };
}
