import { realpathSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import type { Attempt } from "../attempt";
import { executablesOnPath, isExecutable } from "../executables";
import { say } from "../progress";
import { languageHost, problemOfPulumi } from "../prove";

/** The first `pulumi` on PATH that works. Each that does not is named, with the reason. */
export async function pulumiOnPath(): Promise<Attempt> {
  const problems: string[] = [];
  for (const pulumi of executablesOnPath("pulumi")) {
    const attempt = await prove(pulumi);
    if ("folder" in attempt) return attempt;
    say(`passing over ${pulumi}: ${attempt.problem}`);
    problems.push(`${pulumi}: ${attempt.problem}`);
  }
  return { problem: problems.length === 0 ? "there is no `pulumi` on PATH" : problems.join("\n") };
}

async function prove(pulumi: string): Promise<Attempt> {
  const real = realpathSync(pulumi);
  if (real.includes(`${sep}node_modules${sep}pulumi${sep}`)) {
    // Asking it for its version could make it download: a look at PATH must not.
    return { problem: "it is the npm package's downloader, not Pulumi itself" };
  }
  const problem = await problemOfPulumi(pulumi);
  if (problem !== undefined) return { problem };
  const beside = [dirname(pulumi), dirname(real)].find((folder) => isExecutable(join(folder, languageHost)));
  if (beside !== undefined) return { folder: beside };
  const elsewhere = executablesOnPath(languageHost)[0];
  if (elsewhere === undefined) return { problem: `no ${languageHost} beside it or on PATH` };
  say(`using ${pulumi} with the language host ${elsewhere}`);
  return { folder: dirname(pulumi) };
}
