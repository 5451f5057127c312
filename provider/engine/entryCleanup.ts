import { unknown } from "../definitions/values";
import { dropEntries, readEntries } from "../journal/entries";
import { entryNameParts, isEntryName, isSameAddress, type Journal } from "../journal/journal";
import { isoTime } from "../support/time/duration";
import { words } from "../support/words";
import type { Session } from "./session";
import type { MaybeUnknown } from "./settingsReader";

function journalAt(session: Session, place: MaybeUnknown): Journal | undefined {
  return place === unknown ? undefined : session.runtime.journal(place);
}

/** Removes the entry that a saved state names, unless this costs a request or this process has made it. */
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

/** Warns of what a killed run has started to replace this resource, since this run keeps what the state has. */
export function noteAbandoned(
  session: Session,
  place: MaybeUnknown,
  { __entry: own }: { readonly __entry?: unknown },
  warn: (text: string) => void,
): void {
  const journal = journalAt(session, place);
  if (isEntryName(own) && journal?.isRemote === false) {
    const { start } = entryNameParts(own);
    const isOther = (name: string) => name !== own;
    session.note(dropAbandoned(session, journal, { start, isOther, isSaved: async () => false }, warn));
  }
}

/** The entries of one resource that a killed run has left, and that this run does not use. */
interface Abandoned {
  start: string;
  isOther: (name: string) => boolean;
  isSaved: (id: string) => Promise<boolean>;
}

/** Names them. An entry that cannot be read is left to a later run. */
export async function dropAbandoned(...given: Parameters<typeof warnOfAbandoned>): Promise<void> {
  await warnOfAbandoned(...given).catch(() => {});
}

async function warnOfAbandoned(
  session: Session,
  journal: Journal,
  { start, isOther, isSaved }: Abandoned,
  warn: (text: string) => void,
): Promise<void> {
  const { runtime, touched } = session;
  // If resources share an address, the other entries may belong to other resources.
  if (session.sharesAddresses) {
    return;
  }
  const names = (await session.entriesLeft(journal)).filter(
    (name) => isSameAddress(name, start) && isOther(name) && !touched.has(name),
  );
  for (const { name, owner, id, intendedAt, handedOver } of await readEntries(journal, names, runtime.clock.now())) {
    const isSame = entryNameParts(name).start === start;
    // If the engine of this process is gone, nobody sees the warning, and another run may have begun.
    if (runtime.isRunning(owner) || !(await session.hasEngine()) || (!isSame && (handedOver || id === undefined))) {
      continue;
    }
    const begin = `a run that was killed sent ${isSame ? "the same request as" : "another request than that of"} this resource's last start, at ${isoTime(intendedAt)}:`;
    if (id === undefined) {
      warn(`${begin} the answer was lost. The next start will ask if the request took effect.`);
    } else if (!(await isSaved(id))) {
      warn(`${begin} no state has ${id}, and this run does not use it. To use it, adopt it by ${words.name("jobId")}.`);
      await dropEntries(journal, name);
    }
  }
}
