import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { executablesOnPath } from "../processes/executables";
import { cacheFolder, inScratch, publish, removeLeftovers } from "./cacheFolder";
import { interruptible } from "./interrupt";
import { LockLost, withLock } from "./lock";
import { elapsed, say, withProgress } from "./progress";

/** One way to make a tool. Both functions return the problem, or an empty string. */
export interface Recipe {
  /** The name of the tool's folder in the cache. It changes with everything that the result depends on. */
  readonly keptName: string;
  /** The command that must be on PATH. */
  readonly needs?: "go" | "python3";
  /** The text that a person reads while the tool is made. */
  readonly doing: string;
  /** The number of milliseconds before anything is shown. */
  readonly quietFor?: number;
  /** Checks a finished folder without the network. */
  problemOf(folder: string): Promise<string>;
  /** Fills the empty folder `made`. `work` is an empty folder for temporary files. */
  make(made: string, work: string, signal: AbortSignal): Promise<string>;
}

/** A tool is not in the cache and could not be made. */
export class ToolNotMade extends Error {
  override readonly name = "ToolNotMade";
  /** @param problems one for each recipe, in their order. */
  constructor(
    recipes: readonly Recipe[],
    readonly problems: readonly string[],
  ) {
    super(recipes.map(({ doing }, index) => `${doing} failed: ${problems[index]}`).join("\n"));
  }
}

/**
 * Finds a tool in the user's cache, or makes it there. The recipes are alternatives: the first that works is used.
 * Processes that share the cache make one tool at a time.
 * @returns the tool's folder.
 * @throws ToolNotMade
 */
export async function findOrBuild(recipes: readonly Recipe[]): Promise<string> {
  const cache = cacheFolder();
  // All are looked for before one is made: a download that fails on this machine is not tried again at every call.
  const kept = await findKept(cache, recipes);
  return kept ?? interruptible((signal) => makeAlone(cache, recipes, signal));
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

async function makeAlone(cache: string, recipes: readonly Recipe[], signal: AbortSignal): Promise<string> {
  for (;;) {
    try {
      return await withLock(cache, signal, (held) => makeFirst(cache, recipes, held));
    } catch (error) {
      // Another process took over and is at work now: wait for it.
      if (!(error instanceof LockLost)) {
        throw error;
      }
    }
  }
}

async function makeFirst(cache: string, recipes: readonly Recipe[], signal: AbortSignal): Promise<string> {
  // The process that held the lock before may have made the tool.
  const kept = await findKept(cache, recipes);
  if (kept !== undefined) {
    return kept;
  }
  await removeLeftovers(cache);
  const problems: string[] = [];
  for (const recipe of recipes) {
    if (recipe.needs !== undefined && executablesOnPath(recipe.needs).length === 0) {
      problems.push(`there is no \`${recipe.needs}\` on PATH`);
      continue;
    }
    if (problems.length > 0) {
      say(`${problems.at(-1)}: trying another way`);
    }
    const folder = join(cache, recipe.keptName);
    const problem = await makeInto(folder, cache, recipe, signal);
    if (problem === "") {
      return folder;
    }
    problems.push(problem);
  }
  throw new ToolNotMade(recipes, problems);
}

function makeInto(folder: string, cache: string, recipe: Recipe, signal: AbortSignal): Promise<string> {
  return inScratch(cache, async (scratch) => {
    const started = Date.now();
    const [made, work] = [join(scratch, "made"), join(scratch, "work")];
    await Promise.all([made, work].map((empty) => mkdir(empty)));
    const problem = await withProgress(recipe.doing, recipe.quietFor ?? 0, () => recipe.make(made, work, signal));
    if (problem !== "") {
      return problem;
    }
    const fault = await recipe.problemOf(made);
    if (fault !== "") {
      return `the result does not run: ${fault}`;
    }
    await publish(made, folder, scratch);
    say(`${recipe.doing}: done in ${elapsed(Date.now() - started)}, kept in ${folder}`);
    return "";
  });
}
