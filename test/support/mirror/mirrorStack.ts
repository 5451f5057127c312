import { cpSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Platform } from "../../../simulator/index";
import type { DeclaredProgram, EngineStack, Run } from "../engineStack";
import { testStack } from "../engineTest";
import { sharedStack } from "../sharedStack";

export interface MirrorStack {
  stack: EngineStack;
  /** The folder into which the mirror writes. */
  folder: string;
  destination: string;
}

export const mirroredSite = { domain: "docs.example.com" };

/** Makes a stack of an export and its mirror. The stack is removed after the test. */
export async function mirrorStack(platform: Platform, mirror: Record<string, unknown> = {}): Promise<MirrorStack> {
  return prepare(await testStack(platform), mirror);
}

/**
 * Starts a platform, and makes a stack of an export and its mirror. All tests of the `describe` use this stack, one
 * after another.
 */
export function sharedMirrorStack(): MirrorStack & { platform: Platform } {
  const story = {} as MirrorStack & { platform: Platform };
  sharedStack({ jobTime: 0 }, async ({ platform, stack }) => {
    Object.assign(story, { platform }, prepare(stack, {}));
  });
  return story;
}

/** Declares an export and its mirror in a stack. */
function prepare(stack: EngineStack, mirror: Record<string, unknown>): MirrorStack {
  cpSync(join(__dirname, "mirrorProgram.js"), join(stack.folder, "index.js"));
  const folder = join(stack.folder, "mirrored");
  const destination = pathToFileURL(folder).href;
  stack.declare({ site: mirroredSite, mirror: { destination, ...mirror } });
  return { stack, folder, destination };
}

/** Replaces the declarations in a stack: the export, the mirror or both get other inputs. */
export function redeclare(
  { stack, destination }: MirrorStack,
  { site: changed = mirroredSite, mirror = {} }: DeclaredProgram,
): void {
  stack.declare({ site: changed, mirror: { destination, ...mirror } });
}

/**
 * Returns the result of a successful run.
 * @throws Error with the run's output if the run failed.
 */
export function succeeded(run: Run): Run {
  if (run.code !== 0) {
    throw new Error(run.output);
  }
  return run;
}
