import { readdir } from "node:fs/promises";
import { digest, Journal, journalFolder } from "../journal/journal";
import { isAtWork, isListening, thisProcess } from "../journal/owner";
import type { Memory } from "../resources/lifecycle";
import { runSignal } from "./cancellation";
import { engineAddress } from "./engineAddress";

/** How long the engine may take to save what it was given, in milliseconds; until then the entry stays. */
const savingTime = 1_000;

interface Delivered {
  drop(): void;
  /** A second Ctrl-C ends the engine before it has saved; the entry stays, and the next run drops it if it was saved. */
  cancelled: boolean;
}

/** Entries whose ids were given to the engine, and which it may not have saved yet. */
const delivered = new Set<Delivered>();

/** What lay in the journal when this process first asked; read once, since hundreds of resources may ask. */
let leftovers: Promise<string[]> | undefined;

/** What is being dropped beside the engine's calls, which do not wait for it. */
const forgetting = new Set<Promise<void>>();

/** The memory of one `create`; see {@link Memory}. */
export interface CreateMemory extends Memory {
  /** The engine was given the id: once it has saved it, the entry is of no more use. */
  deliver(): void;
}

/** @param urn of the resource; without one nothing is remembered, since nothing would tell two resources apart. */
export function createMemory(urn: string | undefined, warn: (text: string) => void): CreateMemory {
  const folder = journalFolder(process.env);
  const journal = new Journal(folder);
  const files: string[] = [];

  return {
    async recall(request) {
      if (urn === undefined) {
        return undefined;
      }
      await Promise.all(forgetting);
      for (const entry of journal.find(keyOf(urn, request), Date.now())) {
        if (!(await isAtWork(entry.owner))) {
          files.push(entry.file);
          return { id: entry.id, notedAt: entry.writtenAt };
        }
      }
      return undefined;
    },

    note(request, id) {
      if (urn === undefined) {
        return;
      }
      try {
        files.push(journal.write(keyOf(urn, request), id, thisProcess(engineAddress()), Date.now()));
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        warn(
          `the journal in ${folder} cannot be written (${reason}): if this run is killed, the next one does not know of ${id}. DOCS_PLATFORM_JOURNAL_DIR names another folder.`,
        );
      }
    },

    forget() {
      for (const file of files.splice(0)) {
        journal.drop(file);
      }
    },

    deliver() {
      if (files.length > 0) {
        dropOnceSaved({ drop: () => this.forget(), cancelled: runSignal.aborted });
      }
    },
  };
}

/**
 * What the state names is saved. An entry of it, which a run that was killed just then has left, would only stand in for
 * the new job of a later replacement.
 */
export function forgetSaved(urn: string, id: string): void {
  const task = dropLeftover(urn, id).finally(() => forgetting.delete(task));
  forgetting.add(task);
}

async function dropLeftover(urn: string, id: string): Promise<void> {
  const folder = journalFolder(process.env);
  const key = digest(urn);
  leftovers ??= readdir(folder).catch(() => []);
  if (!(await leftovers).some((name) => name.startsWith(key))) {
    return;
  }
  const journal = new Journal(folder);
  for (const entry of journal.find(key, Date.now())) {
    if (entry.id === id) {
      journal.drop(entry.file);
    }
  }
}

/** Begins with what all requests of one resource share. */
function keyOf(urn: string, request: unknown): string {
  return `${digest(urn)}-${digest(request)}`;
}

/**
 * Drops an entry when the engine has had the time to save, if it still lives then; or when the engine ends this process,
 * which it does after it has saved. A killed engine does neither, so that the entry stays for the next run.
 */
function dropOnceSaved(entry: Delivered): void {
  if (delivered.size === 0) {
    process.once("SIGINT", dropAllAndEnd);
  }
  delivered.add(entry);
  setTimeout(async () => {
    if (await isListening(engineAddress() ?? "")) {
      delivered.delete(entry);
      entry.drop();
      if (delivered.size === 0) {
        process.removeListener("SIGINT", dropAllAndEnd);
      }
    }
  }, savingTime).unref();
}

/** The engine ends its plugins by SIGINT; a process that would not end at once would hold it up for five seconds. */
function dropAllAndEnd(): void {
  for (const entry of delivered) {
    if (!entry.cancelled) {
      entry.drop();
    }
  }
  process.exit(0);
}
