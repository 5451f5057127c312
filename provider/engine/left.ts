import type { RawValues } from "../definitions/values";

/**
 * The work of a failed create that a state still names, and that goes on. A host that replaces such an object must not
 * begin the same again: the next create of the same request continues it.
 */
export interface Left {
  id: string;
  /** The name of its journal entry, if it is known. */
  entry: unknown;
  /** When it began, if this is known; milliseconds since the epoch. */
  since: number | undefined;
  isAdopted: boolean;
  /** False if its answer was lost. */
  isAnswered: boolean;
}

/** The object in whose place a create comes, if the host has deleted it before. */
export interface Predecessor {
  id: string;
  /** The work that the create continues instead of a start. */
  left: Left | undefined;
  /** True if the create may take the place of another object, or of none. */
  isGuess?: boolean;
}

/** @param state as far as it is known. */
export function leftIn(id: string, state: RawValues): Left {
  const since = Date.parse(String(state.__acceptedAt ?? state.startedAt ?? state.__unsettledSince));
  return {
    id,
    entry: state.__entry,
    since: Number.isNaN(since) ? undefined : since,
    isAdopted: state.__adopted === true,
    isAnswered: state.status !== undefined,
  };
}
