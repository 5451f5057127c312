import { findOrBuild, ToolNotMade } from "./findOrBuild";
import { pulumiOnPath } from "./pulumiOnPath";
import { officialRelease, oldestGo, oldestPulumi, ownBuild, pulumiVersion } from "./pulumiRecipes";

/** There is no Pulumi CLI, and none could be had. The message names the three ways, and why each failed. */
export class PulumiNotFound extends Error {
  override readonly name = "PulumiNotFound";
}

/**
 * Finds the folder that holds `pulumi`, its Node.js language host and the host of dynamic providers. The first that
 * works wins: `pulumi` on PATH; the official release by the npm package `pulumi`; a build from the Go modules. What
 * was downloaded or built is kept in the user's cache, and is found there without network the next time.
 *
 * @throws PulumiNotFound
 */
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
