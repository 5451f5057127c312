import { realpathSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { executablesOnPath, isExecutable } from "../processes/executables";
import { say } from "./progress";
import { languageHost, problemOfPulumi } from "./pulumiRecipes";

/** The folder that holds the Pulumi CLI, or why it cannot be used. */
export type Found = { readonly folder: string } | { readonly problem: string };

/** The first `pulumi` on PATH that works. Each that does not work is named, with the reason. */
export async function pulumiOnPath(): Promise<Found> {
  const problems: string[] = [];
  for (const pulumi of executablesOnPath("pulumi")) {
    const found = await prove(pulumi);
    if ("folder" in found) {
      return found;
    }
    say(`passing over ${pulumi}: ${found.problem}`);
    problems.push(`${pulumi}: ${found.problem}`);
  }
  return { problem: problems.length === 0 ? "there is no `pulumi` on PATH" : problems.join("\n") };
}

async function prove(pulumi: string): Promise<Found> {
  const real = realpathSync(pulumi);
  if (real.includes(`${sep}node_modules${sep}pulumi${sep}`)) {
    // To print its version, it may download Pulumi. Looking at PATH must not download anything.
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
  say(`using ${pulumi} with the language host ${elsewhere}`);
  return { folder: dirname(pulumi) };
}
