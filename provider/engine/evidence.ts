import { unknown } from "../definitions/values";
import { dropEntries, readEntries } from "../journal/entries";
import { entryNameParts, isEntryName, type Journal } from "../journal/journal";
import { isoTime } from "../support/time/duration";
import { words } from "../support/words";
import type { Session } from "./session";
import type { MaybeUnknown } from "./settingsReader";

/**
 * Returns the journal.
 * @returns undefined while the journal's place is not known yet; no default place is used then.
 */
function journalAt(session: Session, place: MaybeUnknown): Journal | undefined {
  return place === unknown ? undefined : session.world.journal(place);
}

/**
 * Removes the entry that the state names, unless this costs a request. A process that has not made the entry received
 * the state from the engine. So the engine has saved the state, and the entry is no longer needed.
 */
export function dropSavedEntry(session: Session, place: MaybeUnknown, state: { readonly __entry?: unknown }): void {
  const { __entry: name } = state;
  const journal = journalAt(session, place);
  if (isEntryName(name) && !session.touched.has(name) && journal?.isRemote === false) {
    session.note(dropLeft(session, journal, name));
  }
}

async function dropLeft(session: Session, journal: Journal, name: string): Promise<void> {
  if ((await session.entriesLeft(journal)).includes(name)) {
    await dropEntries(journal, name);
  }
}

/** Like {@link dropSavedEntry}, but also uses a journal that costs a request, and waits until the entry is removed. */
export async function dropSavedEntryNow(
  session: Session,
  place: MaybeUnknown,
  { __entry: name }: { readonly __entry?: unknown },
): Promise<void> {
  const journal = journalAt(session, place);
  if (isEntryName(name) && !session.touched.has(name) && journal !== undefined) {
    await dropEntries(journal, name);
  }
}

/**
 * Warns about each start by which a killed run wanted to replace this resource: this run keeps what the state has. An
 * accepted start is named once, and a later replacement starts anew.
 */
export function noteAbandoned(
  session: Session,
  place: MaybeUnknown,
  { __entry: own }: { readonly __entry?: unknown },
  warn: (text: string) => void,
): void {
  const journal = journalAt(session, place);
  // If resources share an address, the other entries may belong to other resources.
  if (isEntryName(own) && journal?.isRemote === false && !session.sharesAddresses) {
    session.note(dropAbandoned(session, journal, own, warn).catch(() => {}));
  }
}

async function dropAbandoned(
  session: Session,
  journal: Journal,
  own: string,
  warn: (text: string) => void,
): Promise<void> {
  const { world, touched } = session;
  const { start } = entryNameParts(own);
  const others = (await session.entriesLeft(journal)).filter(
    (name) => entryNameParts(name).start === start && name !== own && !touched.has(name),
  );
  for (const { name, owner, id, intendedAt } of await readEntries(journal, others, world.clock.now())) {
    // If the engine of this process is gone, nobody sees the warning, and another run may have begun.
    if (world.isRunning(owner) || !(await session.hasEngine())) {
      continue;
    }
    const begin = `a run that was killed sent the same request as this resource's last start, at ${isoTime(intendedAt)}, to replace the resource:`;
    if (id === undefined) {
      warn(`${begin} the answer was lost. The next start will ask if the request took effect.`);
    } else {
      warn(
        `${begin} no state has ${id}, and this run does not use it. To use an export job, give its id as ${words.name("jobId")}.`,
      );
      await dropEntries(journal, name);
    }
  }
}
