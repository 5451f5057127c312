import { cpSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Platform } from "../../../simulator/index";
import type { DeclaredProgram, EngineStack, Run } from "../engineStack";
import { testStack } from "../engineTest";
import { sharedStack } from "../sharedStack";

export interface MirrorStack {
  stack: EngineStack;
  /** The folder of the mirror. */
  folder: string;
  destination: string;
}

export const mirroredSite = { domain: "docs.example.com" };

/** A stack of one export and its mirror, removed after the test. */
export async function mirrorStack(platform: Platform, mirror: Record<string, unknown> = {}): Promise<MirrorStack> {
  return prepare(await testStack(platform), mirror);
}

/** A platform, and a stack with an export and its mirror. The tests of this `describe` are its life, in their order. */
export function sharedMirrorStack(): MirrorStack & { platform: Platform } {
  const story = {} as MirrorStack & { platform: Platform };
  sharedStack({ jobTime: 0 }, async ({ platform, stack }) => {
    Object.assign(story, { platform }, prepare(stack, {}));
  });
  return story;
}

/** Puts an export and its mirror into a stack. */
function prepare(stack: EngineStack, mirror: Record<string, unknown>): MirrorStack {
  cpSync(join(__dirname, "mirrorProgram.js"), join(stack.folder, "index.js"));
  const folder = join(stack.folder, "mirrored");
  const destination = pathToFileURL(folder).href;
  stack.declare({ site: mirroredSite, mirror: { destination, ...mirror } });
  return { stack, folder, destination };
}

/** Declares the same stack with another export, or another mirror. */
export function redeclare(
  { stack, destination }: MirrorStack,
  { site: changed = mirroredSite, mirror = {} }: DeclaredProgram,
): void {
  stack.declare({ site: changed, mirror: { destination, ...mirror } });
}

/** @throws Error with the output of a run that failed. */
export function succeeded(run: Run): Run {
  if (run.code !== 0) {
    throw new Error(run.output);
  }
  return run;
}
