import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isMainThread } from "node:worker_threads";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { FolderJournal } from "../../../../provider/journal/folderJournal";

const owner = { host: "here", pid: 4_711, began: "1", engine: "127.0.0.1:1" };
const start = `${"a".repeat(32)}-${"b".repeat(32)}`;
const name = `${start}.0123456789ab`;
const other = `${start}.ba9876543210`;
const third = `${"e".repeat(32)}-${"f".repeat(32)}.0123456789ab`;
const intended = () => ({ intendedAt: Date.now(), idempotencyKey: "key-1", owner });
const accepted = (id = "job-1") => ({ ...intended(), id });
const text = JSON.stringify(accepted());

let root: string;
let folder: string;
let journal: FolderJournal;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "journal-"));
  folder = join(root, "deep", "docs-platform");
  journal = new FolderJournal(folder);
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

const mode = (path: string) => statSync(path).mode & 0o777;
const fileOf = (of: string) => join(folder, `${of}.json`);

/** Writes a file to the path at which the journal looks for an entry. */
function plant(content: unknown, of = name): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(fileOf(of), typeof content === "string" ? content : JSON.stringify(content), { mode: 0o600 });
  return fileOf(of);
}

describe("an entry", () => {
  // The test runs only on the main thread, because a worker thread cannot change the umask.
  it.runIf(isMainThread)(
    "is a file of mode 0600 in a folder of mode 0700, whatever the umask, and is found until it is removed",
    async () => {
      const before = process.umask(0);
      try {
        await journal.write(name, text);
        expect([mode(folder), mode(fileOf(name))]).toEqual([0o700, 0o600]);
        expect(await journal.read(name)).toBe(text);
        expect(await journal.read(other)).toBeUndefined();
        await journal.remove(name);
        await journal.remove(name);
        expect(await journal.read(name)).toBeUndefined();
      } finally {
        process.umask(before);
      }
    },
  );

  it("is listed beside the others of its start, without files that are no entries", async () => {
    for (const of of [name, other, third]) {
      await journal.write(of, text);
    }
    plant("half", `${name}.0123456789ab`);
    writeFileSync(join(folder, `${start}.notes.json`), "mine");
    expect((await journal.list(`${start}.`)).sort()).toEqual([name, other]);
  });

  it("is written where a folder cannot be synced, as on Windows", async () => {
    const handle = await open(root, "r");
    const sync = vi.spyOn(Object.getPrototypeOf(handle), "sync").mockImplementation(async function (this: unknown) {
      if ((await (this as FileHandle).stat()).isDirectory()) {
        throw Object.assign(new Error("operation not permitted"), { code: "EPERM" });
      }
    });
    try {
      await journal.write(name, text);
      expect(await journal.read(name)).toBe(text);
      expect(sync).toHaveBeenCalledTimes(2);
    } finally {
      sync.mockRestore();
      await handle.close();
    }
  });
});

describe("what is in the place of an entry, and cannot be read, is seen, and is an error", () => {
  it("an entry that others may read or change, as a restore may leave it", async () => {
    for (const open of [0o644, 0o620, 0o602]) {
      chmodSync(plant(accepted()), open);
      await expect(journal.read(name)).rejects.toMatchObject({
        message: `other users can access it (mode ${open.toString(8)})`,
        remedy: expect.stringContaining(`run \`chmod -R go= ${folder}\``),
      });
      expect(await journal.list(`${start}.`)).toContain(name);
    }
  });

  it("more than an entry can hold", async () => {
    plant({ ...accepted(), more: "x".repeat(5_000) });
    await expect(journal.read(name)).rejects.toThrow("at most 4096 bytes");
    expect(await journal.list(`${start}.`)).toContain(name);
  });

  it("a folder, or a link to an entry elsewhere, which stays", async () => {
    const elsewhere = join(root, "elsewhere.json");
    writeFileSync(elsewhere, text, { mode: 0o600 });
    mkdirSync(fileOf(name), { recursive: true });
    chmodSync(folder, 0o700);
    symlinkSync(elsewhere, fileOf(other));
    await expect(journal.read(name)).rejects.toThrow();
    await expect(journal.read(other)).rejects.toThrow(/ELOOP/);
    await journal.remove(name);
    await journal.remove(other);
    expect([existsSync(fileOf(name)), readFileSync(elsewhere, "utf8")]).toEqual([true, text]);
  });
});

describe("a folder", () => {
  const worksOf = (of: FolderJournal) => [() => of.write(other, text), () => of.read(name), () => of.remove(name)];

  it("that does not exist is new, holds nothing, and is not made by looking", async () => {
    expect(await journal.isNew()).toBe(true);
    expect([await journal.list(start), await journal.read(name)]).toEqual([[], undefined]);
    await journal.remove(name);
    expect(existsSync(folder)).toBe(false);
    await journal.write(name, text);
    expect(await journal.isNew()).toBe(false);
  });

  it("that is a link is neither written nor read", async () => {
    await journal.write(name, text);
    const link = join(root, "link");
    symlinkSync(folder, link);
    const linked = new FolderJournal(link);
    for (const work of worksOf(linked)) {
      await expect(work()).rejects.toThrow("it is a link or a file");
    }
    expect(readdirSync(folder)).toHaveLength(1);
  });

  it("that others may use is neither written nor read, and its entries stay and are seen", async () => {
    await journal.write(name, text);
    chmodSync(folder, 0o777);
    for (const work of worksOf(journal)) {
      await expect(work()).rejects.toMatchObject({
        message: "other users can access the folder (mode 777)",
        remedy: expect.stringContaining(`run \`chmod -R go= ${folder}\``),
      });
    }
    expect(existsSync(fileOf(name))).toBe(true);
    expect(await journal.list(start)).toEqual([name]);
  });
});
