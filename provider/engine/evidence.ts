import { unknown } from "../definitions/values";
import { dropEntries, readEntries } from "../journal/entries";
import { entryNameParts, isEntryName, isSameAddress, type Journal } from "../journal/journal";
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
  if (isEntryName(own) && journal?.isRemote === false) {
    const { start } = entryNameParts(own);
    const others = { start, isOther: (name: string) => name !== own, isSaved: async () => false };
    session.note(dropAbandoned(session, journal, others, warn).catch(() => {}));
  }
}

/** Names what killed runs have started for this resource with other inputs: a create with these inputs does not use it. */
export async function leaveOtherRequests(
  session: Session,
  journal: Journal,
  { start, isSaved }: { start: string; isSaved: (id: string) => Promise<boolean> },
  warn: (text: string) => void,
): Promise<void> {
  const others = { start, isSaved, isOther: (name: string) => entryNameParts(name).start !== start };
  await dropAbandoned(session, journal, others, warn).catch(() => {});
}

async function dropAbandoned(
  session: Session,
  journal: Journal,
  {
    start,
    isOther,
    isSaved,
  }: {
    start: string;
    isOther: (name: string) => boolean;
    isSaved: (id: string) => Promise<boolean>;
  },
  warn: (text: string) => void,
): Promise<void> {
  const { world, touched } = session;
  // If resources share an address, the other entries may belong to other resources.
  if (session.sharesAddresses) {
    return;
  }
  const names = (await session.entriesLeft(journal)).filter(
    (name) => isSameAddress(name, start) && isOther(name) && !touched.has(name),
  );
  for (const { name, owner, id, intendedAt, handedOver } of await readEntries(journal, names, world.clock.now())) {
    const isSame = entryNameParts(name).start === start;
    // If the engine of this process is gone, nobody sees the warning, and another run may have begun.
    if (world.isRunning(owner) || !(await session.hasEngine()) || (!isSame && (handedOver || id === undefined))) {
      continue;
    }
    const begin = `a run that was killed sent ${isSame ? "the same request as" : "another request than that of"} this resource's last start, at ${isoTime(intendedAt)}:`;
    if (id === undefined) {
      warn(`${begin} the answer was lost. The next start will ask if the request took effect.`);
    } else if (!(await isSaved(id))) {
      warn(
        `${begin} no state has ${id}, and this run does not use it. To use an export job, give its id as ${words.name("jobId")}.`,
      );
      await dropEntries(journal, name);
    }
  }
}
