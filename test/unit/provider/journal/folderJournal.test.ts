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
const name = `${"a".repeat(32)}-${"b".repeat(32)}`;
const other = `${"c".repeat(32)}-${"d".repeat(32)}`;
const third = `${"e".repeat(32)}-${"f".repeat(32)}`;
const intended = () => ({ idempotencyKey: "key-1", owner, writtenAt: Date.now() });
const accepted = (id = "job-1") => ({ ...intended(), id });

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
      const entry = accepted();
      expect(await journal.add(name, entry)).toBeUndefined();
      expect([mode(folder), mode(fileOf(name))]).toEqual([0o700, 0o600]);
      expect(await journal.find(name)).toEqual(entry);
      expect(await journal.find(other)).toBeUndefined();
      await journal.remove(name);
      await journal.remove(name);
      expect(await journal.find(name)).toBeUndefined();
    } finally {
      process.umask(before);
    }
  });

  it("is never overwritten by another one: what is there already is told", async () => {
    const first = accepted("job-1");
    await journal.add(name, first);
    expect(await journal.add(name, accepted("job-2"))).toEqual(first);
    expect(await journal.find(name)).toEqual(first);
  });

  it("is replaced as a whole by the one that owns it, and leaves no other file", async () => {
    await journal.add(name, intended());
    await journal.replace(name, accepted("job-1"));
    expect(await journal.find(name)).toMatchObject({ id: "job-1" });
    expect([readdirSync(folder), mode(fileOf(name))]).toEqual([[`${name}.json`], 0o600]);
  });

  it("holds the id, the key of the request, the owner and the time, and nothing else", async () => {
    const entry = accepted();
    await journal.add(name, entry);
    expect(JSON.parse(readFileSync(fileOf(name), "utf8"))).toEqual(entry);
  });

  it("is written where a folder cannot be synced, as on Windows", async () => {
    const handle = await open(root, "r");
    const sync = vi.spyOn(Object.getPrototypeOf(handle), "sync").mockImplementation(async function (this: unknown) {
      if ((await (this as FileHandle).stat()).isDirectory()) {
        throw Object.assign(new Error("operation not permitted"), { code: "EPERM" });
      }
    });
    try {
      expect(await journal.add(name, intended())).toBeUndefined();
      await journal.replace(name, accepted("job-1"));
      expect(await journal.find(name)).toMatchObject({ id: "job-1" });
      expect(sync).toHaveBeenCalledTimes(4);
    } finally {
      sync.mockRestore();
      await handle.close();
    }
  });

  it("that is a week old is not found, and makes room for a new one", async () => {
    plant({ ...accepted("old"), writtenAt: Date.now() - week });
    expect(await journal.find(name)).toBeUndefined();
    expect(await journal.add(name, accepted("new"))).toBeUndefined();
    expect(await journal.find(name)).toMatchObject({ id: "new" });
  });

  it("of a stack that is gone is removed once it is too old, at the first start of another", async () => {
    const left = plant({ ...accepted(), writtenAt: Date.now() - week }, other);
    const young = plant({ ...accepted(), writtenAt: Date.now() - week + 60_000 }, third);
    await journal.find(name);
    expect(existsSync(left)).toBe(true);
    await journal.add(name, intended());
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
      "backup.json": JSON.stringify({ ...accepted(), writtenAt: longAgo.getTime() }),
      [`${other}.json.d/entry.json`]: JSON.stringify({ ...accepted(), writtenAt: longAgo.getTime() }),
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
    await journal.add(third, intended());
    isWhole(files);
  });

  it("where a folder lies in the place of an entry", async () => {
    const files = useHome();
    await journal.add(name, intended()).catch(() => {});
    await journal.remove(name).catch(() => {});
    isWhole(files);
  });
});

describe("what cannot be an entry is ignored, and makes room for one", () => {
  it.each<[string, string]>([
    ["nothing", ""],
    ["half of an entry", JSON.stringify(accepted()).slice(0, 30)],
    ["more than an entry can hold", JSON.stringify({ ...accepted(), more: "x".repeat(5_000) })],
  ])("%s", async (_, content) => {
    plant(content);
    expect(await journal.find(name)).toBeUndefined();
    expect(await journal.add(name, accepted("new"))).toBeUndefined();
    expect(await journal.find(name)).toMatchObject({ id: "new" });
  });

  it("an entry that others may read or change", async () => {
    for (const open of [0o644, 0o620, 0o602]) {
      chmodSync(plant(accepted()), open);
      expect(await journal.find(name)).toBeUndefined();
    }
  });

  it("a link to an entry elsewhere, which stays", async () => {
    const elsewhere = join(root, "elsewhere.json");
    writeFileSync(elsewhere, JSON.stringify(accepted()), { mode: 0o600 });
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    symlinkSync(elsewhere, fileOf(name));
    expect(await journal.find(name)).toBeUndefined();
    await expect(journal.add(name, accepted("new"))).rejects.toThrow("EEXIST");
    expect(JSON.parse(readFileSync(elsewhere, "utf8"))).toMatchObject({ id: "job-1" });
  });

  it("a folder in place of a file, which stays", async () => {
    await journal.add(other, accepted());
    mkdirSync(fileOf(name));
    expect(await journal.find(name)).toBeUndefined();
    await expect(journal.add(name, accepted("new"))).rejects.toThrow("EEXIST");
    expect(await journal.find(other)).toMatchObject({ id: "job-1" });
  });
});

describe("a folder", () => {
  it("that does not exist holds nothing, and is not made by looking", async () => {
    expect(await journal.find(name)).toBeUndefined();
    expect(existsSync(folder)).toBe(false);
  });

  it("that is a link is neither written nor read", async () => {
    await journal.add(name, accepted());
    const link = join(root, "link");
    symlinkSync(folder, link);
    const linked = new FolderJournal(link);
    await expect(linked.add(other, accepted())).rejects.toThrow("the folder is a link");
    expect(await linked.find(name)).toBeUndefined();
    expect(readdirSync(folder)).toHaveLength(1);
  });

  it("that others may use is neither written nor read, and its entries stay", async () => {
    await journal.add(name, accepted());
    chmodSync(folder, 0o750);
    await expect(journal.add(other, accepted())).rejects.toThrow("others may use it");
    expect(await journal.find(name)).toBeUndefined();
    expect(existsSync(fileOf(name))).toBe(true);
  });

  it("that is a file cannot be written, and holds nothing", async () => {
    mkdirSync(join(root, "deep"));
    writeFileSync(folder, "");
    await expect(journal.add(name, accepted())).rejects.toThrow();
    expect(await journal.find(name)).toBeUndefined();
  });
});
