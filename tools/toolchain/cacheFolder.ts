import { mkdir, mkdtemp, readdir, rename, rm } from "node:fs/promises";
import { homedir, platform } from "node:os";
import { isAbsolute, join } from "node:path";

const halfDone = "unfinished-";

/** The user's folder for what was fetched or built. It can be deleted at any time. */
export function cacheFolder(): string {
  const chosen = process.env.XDG_CACHE_HOME;
  const system = platform() === "darwin" ? join(homedir(), "Library", "Caches") : join(homedir(), ".cache");
  // The XDG rules: a path that is not absolute counts as unset.
  return join(chosen !== undefined && isAbsolute(chosen) ? chosen : system, "pulumi-docs-platform");
}

/** Makes the cache folder, with an error that says what to do when it cannot be made. */
export async function makeCacheFolder(cache: string): Promise<void> {
  try {
    await mkdir(cache, { recursive: true });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`cannot make the cache folder ${cache} (${why}); XDG_CACHE_HOME can name another place`);
  }
}

/** Removes what a killed process left unfinished. Only the holder of the lock may call it. */
export async function removeLeftovers(cache: string): Promise<void> {
  const names = await readdir(cache);
  await Promise.all(names.filter((name) => name.startsWith(halfDone)).map((name) => remove(join(cache, name))));
}

/**
 * Gives `fill` an empty folder inside the cache and takes it away afterwards, however that ends. What is to stay
 * goes out of it by `publish`: a name in the cache never stands for half an installation.
 */
export async function inScratch<T>(cache: string, fill: (scratch: string) => Promise<T>): Promise<T> {
  const scratch = await mkdtemp(join(cache, halfDone));
  try {
    return await fill(scratch);
  } finally {
    await remove(scratch);
  }
}

/** Gives a finished folder its name in the cache, in one step. A broken one of that name makes way. */
export async function publish(finished: string, target: string, scratch: string): Promise<void> {
  try {
    await rename(finished, target);
  } catch (error) {
    const taken =
      error instanceof Error && "code" in error && ["ENOTEMPTY", "EEXIST", "ENOTDIR"].includes(String(error.code));
    if (!taken) {
      throw error;
    }
    await rename(target, join(scratch, "replaced"));
    await rename(finished, target);
  }
}

async function remove(folder: string): Promise<void> {
  // A tool that was just killed may still be writing its last file.
  await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
}
