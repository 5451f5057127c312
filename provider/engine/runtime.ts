import { randomUUID } from "node:crypto";
import { openJournal } from "../journal/openJournal";
import { isAtWork, isRunning, processEngine, thisProcess } from "../journal/owner";
import { loadMirrorLibrary } from "../resources/mirrorLibrary";
import { systemClock } from "../support/time/clock";

/** The parts of the machine that the code of the engine uses. A test brings a runtime of its own. */
export const systemRuntime = {
  clock: systemClock,
  newId: (): string => randomUUID(),
  self: thisProcess,
  parent: () => processEngine(process.ppid),
  isRunning,
  isAtWork,
  journal: openJournal,
  mirrors: loadMirrorLibrary,
};

export type Runtime = Readonly<typeof systemRuntime>;
