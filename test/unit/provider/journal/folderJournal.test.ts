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
  utimesSync,
  writeFileSync,
} from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { FolderJournal } from "../../../../provider/journal/folderJournal";

const owner = { host: "here", pid: 4_711, began: "1", engine: "127.0.0.1:1" };
const week = 7 * 86_400_000;
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

/** Puts a file where the journal looks for an entry. */
function plant(content: unknown, of = name): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(fileOf(of), typeof content === "string" ? content : JSON.stringify(content), { mode: 0o600 });
  return fileOf(of);
}

describe("an entry", () => {
  it("is a file of mode 0600 in a folder of mode 0700, whatever the umask, and is found until it is removed", async () => {
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
  });

  it("is written again as a whole by its own process, and leaves no other file", async () => {
    await journal.write(name, "one");
    await journal.write(name, "two");
    expect(await journal.read(name)).toBe("two");
    expect([readdirSync(folder), mode(fileOf(name))]).toEqual([[`${name}.json`], 0o600]);
  });

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

  it("of a stack that is gone is removed once it is too old, at the first start of another", async () => {
    const left = plant({ ...accepted(), intendedAt: Date.now() - week }, other);
    const young = plant({ ...accepted(), intendedAt: Date.now() - week + 60_000 }, third);
    await journal.read(name);
    expect(existsSync(left)).toBe(true);
    await journal.write(name, text);
    expect([existsSync(left), existsSync(young)]).toEqual([false, true]);
  });
});

describe("what is not the journal's own stays, however old it is,", () => {
  const longAgo = new Date(Date.now() - 52 * week);
  /** A folder that was in use before it was named as the place of a journal. */
  function useHome(): Record<string, string> {
    const files = {
      "notes.txt": "mine",
      ".pulumi/credentials.json": "mine",
      "work/tree/deep.txt": "mine",
      "package.json": "{}",
      "backup.json": JSON.stringify({ ...accepted(), intendedAt: longAgo.getTime() }),
      [`${other}.json.d/entry.json`]: JSON.stringify({ ...accepted(), intendedAt: longAgo.getTime() }),
      [`${other}.json`]: '{"not": "an entry"}',
    };
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text, { mode: 0o600 });
    }
    mkdirSync(fileOf(name));
    writeFileSync(join(fileOf(name), "inside.txt"), "mine");
    for (const path of readdirSync(folder, { recursive: true }).map(String)) {
      utimesSync(join(folder, path), longAgo, longAgo);
    }
    return files;
  }
  const isWhole = (files: Record<string, string>) => {
    const left = Object.keys(files).map((path) => [path, readFileSync(join(folder, path), "utf8")]);
    expect(Object.fromEntries(left)).toEqual(files);
    expect(readFileSync(join(fileOf(name), "inside.txt"), "utf8")).toBe("mine");
  };

  it("at the first start in a folder that holds other things", async () => {
    const files = useHome();
    await journal.write(third, text);
    isWhole(files);
  });

  it("where a folder lies in the place of an entry", async () => {
    const files = useHome();
    await journal.write(name, text).catch(() => {});
    await journal.remove(name).catch(() => {});
    isWhole(files);
  });
});

describe("what is in the place of an entry, and cannot be read, is an error that names the file", () => {
  const unreadable = async (of = name) => {
    await expect(journal.read(of)).rejects.toThrow(fileOf(of));
    expect(await journal.list(`${start}.`)).toContain(of);
  };

  it("an entry that others may read or change, as a restore may leave it", async () => {
    for (const open of [0o644, 0o620, 0o602]) {
      chmodSync(plant(accepted()), open);
      await unreadable();
    }
  });

  it("more than an entry can hold", async () => {
    plant({ ...accepted(), more: "x".repeat(5_000) });
    await unreadable();
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
  const worksOf = (of: FolderJournal) => [
    () => of.write(other, text),
    () => of.read(name),
    () => of.list(start),
    () => of.remove(name),
  ];

  it("that does not exist holds nothing, and is not made by looking", async () => {
    expect([await journal.list(start), await journal.read(name)]).toEqual([[], undefined]);
    await journal.remove(name);
    expect(existsSync(folder)).toBe(false);
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

  it("that others may use is neither written nor read, and its entries stay", async () => {
    await journal.write(name, text);
    chmodSync(folder, 0o777);
    for (const work of worksOf(journal)) {
      await expect(work()).rejects.toMatchObject({
        message: "other users can access the folder (mode 777)",
        remedy: `run \`chmod 700 ${folder}\`.`,
      });
    }
    expect(existsSync(fileOf(name))).toBe(true);
  });

  it("that is a file cannot be used", async () => {
    mkdirSync(join(root, "deep"));
    writeFileSync(folder, "");
    await expect(journal.write(name, text)).rejects.toThrow();
    await expect(journal.list(start)).rejects.toThrow();
  });
});
