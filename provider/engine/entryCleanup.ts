import {
  dropEntries,
  entryNameHasResourcePrefix,
  isEntryName,
  type Journal,
  readEntries,
  startEntryPrefix,
} from "../journal/journal";
import type { CheckedSettings } from "../settings/settings";
import type { ExistingResourceOperation } from "./operation";
import type { Session } from "./session";

interface SavedState {
  readonly __entry?: unknown;
}

/** Returns undefined if this process itself uses the entry. */
function savedEntry({ runtime, starts }: Session, settings: CheckedSettings, { __entry: name }: SavedState) {
  const isSaved = settings.isKnown("journal") && isEntryName(name) && !starts.touched.has(name);
  return isSaved ? { name, journal: runtime.journal(settings.values.journal) } : undefined;
}

/** A removal from a remote journal costs a request, so it happens only if the plan starts something. */
export function scheduleSavedEntryRemoval(session: Session, settings: CheckedSettings, state: SavedState): void {
  const saved = savedEntry(session, settings, state);
  if (saved?.journal.isRemote) {
    session.noteForStart(() => dropLeft(session, saved));
  } else if (saved !== undefined) {
    session.note(dropLeft(session, saved));
  }
}

async function dropLeft({ starts }: Session, { name, journal }: { name: string; journal: Journal }): Promise<void> {
  if ((await starts.entriesLeft(journal)).includes(name)) {
    await dropEntries(journal, name);
  }
}

/** Removes the entry from a remote journal, too, and waits for the removal. */
export async function removeEntryOfSavedJob(
  session: Session,
  settings: CheckedSettings,
  state: SavedState,
): Promise<void> {
  const saved = savedEntry(session, settings, state);
  if (saved !== undefined) {
    await dropEntries(saved.journal, saved.name);
  }
}

/**
 * For a deletion that does not know the entry's name. Removes the resource's entries that contain the job's id. If the
 * journal cannot be read, nothing is removed.
 */
export async function removeEntriesOfJob(
  { runtime, starts }: Session,
  operation: ExistingResourceOperation,
): Promise<void> {
  const { address, settings, id } = operation;
  if (address !== undefined && settings.has("journal")) {
    const journal = runtime.journal(settings.need("journal").place);
    const start = startEntryPrefix(address, undefined);
    const names = (await starts.entriesLeft(journal)).filter((name) => entryNameHasResourcePrefix(name, start));
    const { found } = await readEntries(journal, names, runtime.clock.now()).catch(() => ({ found: [] }));
    await starts.drop(journal, ...found.filter((entry) => entry.id === id).map(({ name }) => name));
  }
}
