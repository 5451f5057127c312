import { unknown } from "../definitions/values";
import { dropEntries } from "../journal/entries";
import { isEntryName, type Journal } from "../journal/journal";
import type { Session } from "./session";
import type { MaybeUnknown } from "./settingsReader";

function journalAt(session: Session, place: MaybeUnknown): Journal | undefined {
  return place === unknown ? undefined : session.runtime.journal(place);
}

/**
 * Removes the entry that a saved state names, unless this process has made it. If this costs a request, it is done only in a
 * plan that starts something.
 */
export function dropSavedEntry(session: Session, place: MaybeUnknown, state: { readonly __entry?: unknown }): void {
  const { __entry: name } = state;
  const journal = journalAt(session, place);
  if (isEntryName(name) && !session.touched.has(name) && journal !== undefined) {
    const drop = () => dropLeft(session, journal, name);
    if (journal.isRemote) {
      session.noteForStart(drop);
    } else {
      session.note(drop());
    }
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
