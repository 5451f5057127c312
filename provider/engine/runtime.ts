import { randomUUID } from "node:crypto";
import { openJournal } from "../journal/openJournal";
import { identifyEngineProcess, identifyThisProcess, isRunning, isRunningWithEngine } from "../journal/ownerProcess";
import { loadMirrorLibrary } from "../resources/mirrorLibrary";
import { systemClock } from "../support/time/clock";

/** The functions of the machine and of the process. Tests replace them. */
export const systemRuntime = {
  clock: systemClock,
  newId: (): string => randomUUID(),
  self: identifyThisProcess,
  parent: () => identifyEngineProcess(process.ppid),
  isRunning,
  isRunningWithEngine,
  journal: openJournal,
  mirrors: loadMirrorLibrary,
};

export type Runtime = Readonly<typeof systemRuntime>;
