import { dropEntries } from "../journal/entries";
import { isEntryName, type Journal } from "../journal/journal";
import type { GivenSettings } from "../settings/settings";
import type { Session } from "./session";

function journalOf(session: Session, settings: GivenSettings): Journal | undefined {
  return settings.isKnown("journal") ? session.runtime.journal(settings.values.journal) : undefined;
}

/**
 * Removes the entry that a saved state names, unless this process has made it. If this costs a request, it is done only in a
 * plan that starts something.
 */
export function dropSavedEntry(session: Session, settings: GivenSettings, state: { readonly __entry?: unknown }): void {
  const { __entry: name } = state;
  const journal = journalOf(session, settings);
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
  settings: GivenSettings,
  { __entry: name }: { readonly __entry?: unknown },
): Promise<void> {
  const journal = journalOf(session, settings);
  if (isEntryName(name) && !session.touched.has(name) && journal !== undefined) {
    await dropEntries(journal, name);
  }
}
