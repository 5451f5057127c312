import { unknown } from "../definitions/values";
import { dropEntries, readEntries } from "../journal/entries";
import { findEntry, isEntryName, type Journal, partsOf, writeEntry } from "../journal/journal";
import { isoTime } from "../support/time/duration";
import { words } from "../support/words";
import type { Session } from "./session";
import type { MaybeUnknown } from "./settingsReader";

/** @returns undefined while the place is not known yet: then no other one takes its place. */
function journalAt(session: Session, place: MaybeUnknown): Journal | undefined {
  return place === unknown ? undefined : session.world.journal(place);
}

/**
 * The state names this entry. A process that has not made that entry has the state from the engine, which has saved it then:
 * the entry is of no more use.
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

/** Like {@link dropSavedEntry}, but also asks a journal that costs a request, and waits until the entry is removed. */
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
 * The run keeps what the state has. What a killed run has started in its place is not used any more: it is named once, and
 * a later replacement starts anew.
 */
export function noteAbandoned(
  session: Session,
  place: MaybeUnknown,
  { __entry: own }: { readonly __entry?: unknown },
  warn: (text: string) => void,
): void {
  const journal = journalAt(session, place);
  // Where resources share an address, the others are about other resources.
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
  const { start } = partsOf(own);
  const others = (await session.entriesLeft(journal)).filter(
    (name) => partsOf(name).start === start && name !== own && !touched.has(name),
  );
  for (const { name, owner, id, intendedAt } of await readEntries(journal, others, world.clock.now())) {
    // Nobody hears the warning of a process whose engine is gone, and another run may have begun meanwhile.
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

/** Records what a state has begun: the host may hand this state to no later call, and have the same created again. */
export async function recordUnderWay(
  session: Session,
  place: string | undefined,
  { __entry: name }: { readonly __entry?: unknown },
  id: string,
): Promise<void> {
  const { world } = session;
  const journal = world.journal(place);
  if (isEntryName(name)) {
    const now = world.clock.now();
    const owner = world.self(session.engineAddress());
    const entry = { intendedAt: now, idempotencyKey: world.newId(), owner, id, acceptedAt: now };
    // A journal that cannot be written is told of where something is started.
    await findEntry(journal, name)
      .then((known) => (known === undefined ? journal.write(name, writeEntry(entry)) : undefined))
      .catch(() => {});
  }
}
