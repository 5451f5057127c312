import { mkdir, mkdtemp, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { cacheFolder, withLock } from "./cacheFolder";
import { interruptible } from "./interruptible";
import { printProgressLine, withProgress } from "./progress";

/** One way to make a tool. Each method returns a description of the problem, or an empty text after a success. */
export interface Recipe {
  /** The name of the tool's folder in the cache. It depends on everything that changes the result. */
  readonly keptName: string;
  /** The text that the user reads while the tool is being built. */
  readonly doing: string;
  /** Checks a finished folder, without using the network. */
  problemOf(folder: string): Promise<string>;
  /** Makes the tool in the empty folder `made`. `work` is an empty folder for temporary files. */
  make(made: string, work: string, signal: AbortSignal): Promise<string>;
}

export class ToolNotMade extends Error {
  override readonly name = "ToolNotMade";
  /** @param problems the problem of each recipe, in the order of the recipes. */
  constructor(
    recipes: readonly Recipe[],
    readonly problems: readonly string[],
  ) {
    super(recipes.map(({ doing }, index) => `${doing} failed: ${problems[index]}`).join("\n"));
  }
}

const halfDone = "unfinished-";

/** Returns the tool's folder in the cache. Uses the first recipe that works. Throws ToolNotMade if no recipe works. */
export async function findOrBuild(recipes: readonly Recipe[]): Promise<string> {
  const cache = cacheFolder();
  // If a later recipe has made the tool already, the first recipe must not run: its download may fail again.
  const kept = await findKept(cache, recipes);
  if (kept !== undefined) {
    return kept;
  }
  await mkdir(cache, { recursive: true });
  return interruptible((signal) => withLock(cache, signal, () => makeFirst(cache, recipes, signal)));
}

async function findKept(cache: string, recipes: readonly Recipe[]): Promise<string | undefined> {
  for (const recipe of recipes) {
    const folder = join(cache, recipe.keptName);
    if ((await recipe.problemOf(folder)) === "") {
      return folder;
    }
  }
  return undefined;
}

async function makeFirst(cache: string, recipes: readonly Recipe[], signal: AbortSignal): Promise<string> {
  // The tool may exist by now, because the previous owner of the lock may have made it.
  const kept = await findKept(cache, recipes);
  if (kept !== undefined) {
    return kept;
  }
  const leftovers = (await readdir(cache)).filter((name) => name.startsWith(halfDone));
  await Promise.all(leftovers.map((name) => remove(join(cache, name))));
  const problems: string[] = [];
  for (const recipe of recipes) {
    const folder = join(cache, recipe.keptName);
    const problem = await makeInto(folder, cache, recipe, signal);
    if (problem === "") {
      return folder;
    }
    problems.push(problem);
  }
  throw new ToolNotMade(recipes, problems);
}

/** Makes a tool in a temporary folder, and then renames the folder. So no folder of a tool is incomplete. */
async function makeInto(folder: string, cache: string, recipe: Recipe, signal: AbortSignal): Promise<string> {
  const scratch = await mkdtemp(join(cache, halfDone));
  try {
    const [made, work] = [join(scratch, "made"), join(scratch, "work")];
    await Promise.all([made, work].map((empty) => mkdir(empty)));
    const failure = await withProgress(recipe.doing, () => recipe.make(made, work, signal));
    const problem = failure === "" ? await recipe.problemOf(made) : failure;
    if (problem === "") {
      await remove(folder);
      await rename(made, folder);
      printProgressLine(`${recipe.doing}: done, kept in ${folder}`);
    }
    return problem;
  } finally {
    await remove(scratch);
  }
}

async function remove(folder: string): Promise<void> {
  // The removal is repeated, because a tool that was just killed may still write its last file.
  await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
}
