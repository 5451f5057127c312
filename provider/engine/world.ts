import { randomUUID } from "node:crypto";
import type { Journal } from "../journal/journal";
import { openJournal } from "../journal/openJournal";
import { isAtWork, isRunning, type Owner, processEngine, thisProcess } from "../journal/owner";
import { loadMirrorLibrary, type MirrorLibrary } from "../resources/mirrorLibrary";
import { type Clock, systemClock } from "../support/time/clock";

/** The parts of the machine that the code of the engine uses. A test brings a world of its own. */
export interface World {
  readonly clock: Clock;
  /** @returns a random id that no other call in any process returns. */
  newId(): string;
  /** Returns this process as the journal names it. */
  self(engine: string | undefined): Owner;
  /** Returns the process that started this one, as the address of an engine. */
  parent(): string;
  isRunning(owner: Owner): boolean;
  /** Returns true if both the owner's process and its engine run. */
  isAtWork(owner: Owner): Promise<boolean>;
  /**
   * Returns the journal at a place.
   * @param place undefined for the default place.
   */
  journal(place: string | undefined): Journal;
  /** Opens destinations and downloads of mirrors. */
  mirrors(): Promise<MirrorLibrary>;
}

export const systemWorld: World = {
  clock: systemClock,
  newId: () => randomUUID(),
  self: thisProcess,
  parent: () => processEngine(process.ppid),
  isRunning,
  isAtWork,
  journal: openJournal,
  mirrors: loadMirrorLibrary,
};
