import { cpSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Platform } from "../../../simulator/index";
import type { DeclaredProgram, EngineStack, Run } from "../engineStack";
import { testStack } from "../engineTest";
import { sharedStack } from "../sharedStack";

export interface MirrorStack {
  stack: EngineStack;
  folder: string;
  destination: string;
}

export const mirroredSite = { domain: "docs.example.com" };

export async function mirrorStack(platform: Platform, mirror: Record<string, unknown> = {}): Promise<MirrorStack> {
  return prepare(await testStack(platform), mirror);
}

/** A platform, and a stack of an export and its mirror. All tests of the `describe` use them, one after another. */
export function sharedMirrorStack(): MirrorStack & { platform: Platform } {
  const story = {} as MirrorStack & { platform: Platform };
  sharedStack({ jobTime: 0 }, async ({ platform, stack }) => {
    Object.assign(story, { platform }, prepare(stack, {}));
  });
  return story;
}

function prepare(stack: EngineStack, mirror: Record<string, unknown>): MirrorStack {
  cpSync(join(__dirname, "mirrorProgram.js"), join(stack.folder, "index.js"));
  const folder = join(stack.folder, "mirrored");
  const destination = pathToFileURL(folder).href;
  stack.declare({ site: mirroredSite, mirror: { destination, ...mirror } });
  return { stack, folder, destination };
}

export function redeclare(
  { stack, destination }: MirrorStack,
  { site: changed = mirroredSite, mirror = {} }: DeclaredProgram,
): void {
  stack.declare({ site: changed, mirror: { destination, ...mirror } });
}

export function succeeded(run: Run): Run {
  if (run.code !== 0) {
    throw new Error(run.output);
  }
  return run;
}
