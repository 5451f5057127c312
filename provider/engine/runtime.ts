import { randomUUID } from "node:crypto";
import { openJournal } from "../journal/openJournal";
import {
  areProcessAndEngineRunning,
  engineProcessFingerprint,
  identifyThisProcess,
  isRunning,
} from "../journal/ownerProcess";
import { loadMirrorLibrary } from "../resources/mirrorLibrary";
import { systemClock } from "../support/time/clock";

/** The functions of the machine and of the process. Tests replace them. */
export const systemDependencies = {
  clock: systemClock,
  newId: (): string => randomUUID(),
  self: identifyThisProcess,
  parent: () => engineProcessFingerprint(process.ppid),
  isRunning,
  areProcessAndEngineRunning,
  journal: openJournal,
  mirrors: loadMirrorLibrary,
};

export type RuntimeDependencies = Readonly<typeof systemDependencies>;
