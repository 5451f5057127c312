import { createHash, randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeSync,
} from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { identifierProblem } from "../support/identifier";
import { type Owner, parseOwner } from "./owner";

/** What a killed run leaves behind of something that it had started. */
export interface Entry {
  file: string;
  /** What was started: a job's or a message's id. */
  id: string;
  owner: Owner;
  /** Milliseconds since the epoch. */
  writtenAt: number;
}

/** No entry is as large; bytes. */
const largestEntry = 4_096;

/** Who comes back after this long wants a new export; milliseconds, a week. */
const longestAge = 7 * 86_400_000;

/**
 * The ids of what was started and is not yet in the engine's state, one small file each, in a folder that only its owner
 * can read. A file is found by a digest of what was asked for; it holds no key and no link. What is read is untrusted:
 * an id is good for asking the platform about it, and for nothing else.
 */
export class Journal {
  constructor(private readonly folder: string) {}

  /** @throws where the folder cannot be written, or is not the user's own. */
  write(key: string, id: string, owner: Owner, now: number): string {
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    const folder = lstatSync(this.folder);
    if (!folder.isDirectory() || !isOurs(folder)) {
      throw new Error("the folder is a link, or others may use it");
    }
    const file = join(this.folder, `${key}-${randomBytes(6).toString("hex")}.json`);
    const descriptor = openSync(
      file,
      constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW,
      0o600,
    );
    try {
      writeSync(descriptor, JSON.stringify({ id, owner, writtenAt: now }));
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    syncFolder(this.folder);
    return file;
  }

  /** The entries of a key, or of its first part, newest first. What is too old or cannot be understood is removed. */
  find(key: string, now: number): Entry[] {
    const entries: Entry[] = [];
    for (const name of this.#names(key)) {
      const file = join(this.folder, name);
      const entry = readEntry(file);
      // A clock that was set back leaves entries of the future, which would never grow old.
      if (entry && Math.abs(now - entry.writtenAt) < longestAge) {
        entries.push(entry);
      } else {
        this.drop(file);
      }
    }
    return entries.sort((a, b) => b.writtenAt - a.writtenAt);
  }

  drop(file: string): void {
    try {
      rmSync(file, { force: true });
    } catch {
      // It grows old, and is dropped then.
    }
  }

  #names(key: string): string[] {
    try {
      const folder = lstatSync(this.folder);
      return folder.isDirectory() && isOurs(folder)
        ? readdirSync(this.folder).filter((name) => name.startsWith(`${key}-`))
        : [];
    } catch {
      return [];
    }
  }
}

/** `DOCS_PLATFORM_JOURNAL_DIR`, else `docs-platform/` in the Pulumi home; a blank value counts as unset. */
export function journalFolder(environment: NodeJS.ProcessEnv): string {
  const own = environment.DOCS_PLATFORM_JOURNAL_DIR?.trim();
  return own || join(environment.PULUMI_HOME?.trim() || join(homedir(), ".pulumi"), "docs-platform");
}

/** The same for the same things, whatever the order of an object's keys, and telling nothing of them. */
export function digest(...parts: unknown[]): string {
  return createHash("sha256")
    .update(JSON.stringify(parts.map(sorted)))
    .digest("hex")
    .slice(0, 32);
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(sorted);
  }
  if (typeof value !== "object" || value === null) {
    return value ?? null;
  }
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, item]) => [key, sorted(item)]));
}

function readEntry(file: string): Entry | undefined {
  try {
    const descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW);
    try {
      const status = fstatSync(descriptor);
      if (!status.isFile() || !isOurs(status) || status.size > largestEntry) {
        return undefined;
      }
      const { id, owner, writtenAt } = JSON.parse(readFileSync(descriptor, "utf8"));
      const known = parseOwner(owner);
      return known && typeof id === "string" && identifierProblem(id) === undefined && Number.isFinite(writtenAt)
        ? { file, id, owner: known, writtenAt }
        : undefined;
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return undefined;
  }
}

/** Owned by this user, and open to nobody else; where the system knows no users, as on Windows, every file is. */
function isOurs({ uid, mode }: { uid: number; mode: number }): boolean {
  return process.getuid === undefined || (uid === process.getuid() && (mode & 0o077) === 0);
}

function syncFolder(folder: string): void {
  const descriptor = openSync(folder, constants.O_RDONLY);
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
