import { mkdir, mkdtemp, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { cacheFolder, withLock } from "./cacheFolder";
import { interruptible } from "./interrupt";
import { say, withProgress } from "./progress";

/** One way to make a tool. Both functions return the problem, or an empty string. */
export interface Recipe {
  /** The name of the tool's folder in the cache. It changes with everything that the result depends on. */
  readonly keptName: string;
  /** The text that a person reads while the tool is made. */
  readonly doing: string;
  /** Checks a finished folder without the network. */
  problemOf(folder: string): Promise<string>;
  /** Fills the empty folder `made`. `work` is an empty folder for temporary files. */
  make(made: string, work: string, signal: AbortSignal): Promise<string>;
}

/** A tool is not in the cache and could not be made. */
export class ToolNotMade extends Error {
  override readonly name = "ToolNotMade";
  /** @param problems the problem of each recipe, in their order. */
  constructor(
    recipes: readonly Recipe[],
    readonly problems: readonly string[],
  ) {
    super(recipes.map(({ doing }, index) => `${doing} failed: ${problems[index]}`).join("\n"));
  }
}

const halfDone = "unfinished-";

/**
 * Finds a tool in the user's cache, or makes it there. The recipes are alternatives: the first recipe that works is
 * used. Processes that share the cache make only one tool at a time.
 * @returns the tool's folder.
 * @throws ToolNotMade
 */
export async function findOrBuild(recipes: readonly Recipe[]): Promise<string> {
  const cache = cacheFolder();
  // Looks for the results of all recipes before it runs one: otherwise each call would repeat a download that fails on
  // this machine.
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
  // The previous owner of the lock may have made the tool.
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

/**
 * Makes a tool in a temporary folder, which gets its name only when it is finished. So no folder in the cache contains
 * an incomplete tool.
 */
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
      say(`${recipe.doing}: done, kept in ${folder}`);
    }
    return problem;
  } finally {
    await remove(scratch);
  }
}

async function remove(folder: string): Promise<void> {
  // A tool that was just killed may still be writing its last file.
  await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
}
