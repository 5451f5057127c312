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
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { digest, Journal, journalFolder } from "../../../provider/journal/journal";

const owner = { host: "here", pid: 4_711, began: "1", engine: "127.0.0.1:1" };
const now = Date.parse("2026-03-01T00:00:00.000Z");
const week = 7 * 86_400_000;

let root: string;
let folder: string;
let journal: Journal;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "journal-"));
  folder = join(root, "deep", "docs-platform");
  journal = new Journal(folder);
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

const ids = () => journal.find("key", now).map(({ id }) => id);
const mode = (path: string) => statSync(path).mode & 0o777;

/** Puts a file where the journal looks for entries of the key. */
function plant(content: unknown, name = "key-planted.json"): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, name);
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content), { mode: 0o600 });
  return file;
}

describe("an entry", () => {
  it("is a file of mode 0600 in a folder of mode 0700, whatever the umask, and is found until it is dropped", () => {
    const before = process.umask(0);
    try {
      const file = journal.write("key", "job-1", owner, now);
      expect([mode(folder), mode(file)]).toEqual([0o700, 0o600]);
      expect(journal.find("key", now + 1)).toEqual([{ file, id: "job-1", owner, writtenAt: now }]);
      expect(journal.find("other", now)).toEqual([]);
      journal.drop(file);
      journal.drop(file);
      expect(ids()).toEqual([]);
    } finally {
      process.umask(before);
    }
  });

  it("holds the id, the owner and the time, and nothing else", () => {
    const file = journal.write("key", "job-1", owner, now);
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({ id: "job-1", owner, writtenAt: now });
  });

  it("never overwrites another one: each has a name of its own", () => {
    const files = Array.from({ length: 20 }, () => journal.write("key", "job-1", owner, now));
    expect(new Set(files).size).toBe(20);
  });

  it("that is newer comes first", () => {
    for (const [id, age] of [
      ["middle", 2],
      ["oldest", 3],
      ["newest", 1],
    ] as const) {
      journal.write("key", id, owner, now - age);
    }
    expect(ids()).toEqual(["newest", "middle", "oldest"]);
  });

  it("that is a week old is removed", () => {
    const old = journal.write("key", "old", owner, now - week);
    const young = journal.write("key", "young", owner, now - week + 1);
    expect(ids()).toEqual(["young"]);
    expect([existsSync(old), existsSync(young)]).toEqual([false, true]);
  });
});

describe("what cannot be an entry is removed and ignored", () => {
  const good = { id: "job-1", owner, writtenAt: now };
  it.each<[string, unknown]>([
    ["nothing", ""],
    ["half of an entry", JSON.stringify(good).slice(0, 30)],
    ["no object", "null"],
    ["an id that is no text", { ...good, id: 7 }],
    ["a blank id", { ...good, id: " " }],
    ["an id that is a step in a path", { ...good, id: ".." }],
    ["no owner", { ...good, owner: undefined }],
    ["an owner without a host", { ...good, owner: { ...owner, host: undefined } }],
    ["an owner whose pid is no whole number", { ...good, owner: { ...owner, pid: 1.5 } }],
    ["an owner whose pid means every process", { ...good, owner: { ...owner, pid: -1 } }],
    ["an owner whose pid means this group", { ...good, owner: { ...owner, pid: 0 } }],
    ["a time that is no number", { ...good, writtenAt: "now" }],
    ["a negative time", { ...good, writtenAt: -1 }],
    ["a time that will never be old", { ...good, writtenAt: now + week }],
    ["more than an entry can hold", JSON.stringify({ ...good, more: "x".repeat(5_000) })],
  ])("%s", (_, content) => {
    const file = plant(content);
    expect(ids()).toEqual([]);
    expect(existsSync(file)).toBe(false);
  });

  it("an entry that others may read or change", () => {
    for (const open of [0o644, 0o620, 0o602]) {
      const file = plant(good);
      chmodSync(file, open);
      expect(ids()).toEqual([]);
    }
  });

  it("a link to an entry elsewhere, which stays", () => {
    const elsewhere = join(root, "elsewhere.json");
    writeFileSync(elsewhere, JSON.stringify(good), { mode: 0o600 });
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    symlinkSync(elsewhere, join(folder, "key-link.json"));
    expect(ids()).toEqual([]);
    expect(existsSync(elsewhere)).toBe(true);
  });

  it("a folder in place of a file, and the entries beside it are found", () => {
    journal.write("key", "job-1", owner, now);
    mkdirSync(join(folder, "key-folder.json"));
    expect(ids()).toEqual(["job-1"]);
  });
});

describe("a folder", () => {
  it("that does not exist holds nothing, and is not made by looking", () => {
    expect(ids()).toEqual([]);
    expect(existsSync(folder)).toBe(false);
  });

  it("that is a link is neither written nor read", () => {
    journal.write("key", "job-1", owner, now);
    const link = join(root, "link");
    symlinkSync(folder, link);
    const linked = new Journal(link);
    expect(() => linked.write("key", "job-2", owner, now)).toThrow("the folder is a link");
    expect(linked.find("key", now)).toEqual([]);
    expect(readdirSync(folder)).toHaveLength(1);
  });

  it("that others may use is neither written nor read, and its entries stay", () => {
    const file = journal.write("key", "job-1", owner, now);
    chmodSync(folder, 0o750);
    expect(() => journal.write("key", "job-2", owner, now)).toThrow("others may use it");
    expect(ids()).toEqual([]);
    expect(existsSync(file)).toBe(true);
  });

  it("that is a file cannot be written, and holds nothing", () => {
    mkdirSync(join(root, "deep"));
    writeFileSync(folder, "");
    expect(() => journal.write("key", "job-1", owner, now)).toThrow();
    expect(ids()).toEqual([]);
  });
});

describe("digest", () => {
  const request = { baseUrl: "https://a.test", domain: "a.test", triggers: { a: 1, b: { c: [1, 2], d: null } } };

  it("is the same whatever the order of the keys, and where a key is undefined or missing", () => {
    const other = { triggers: { b: { d: null, c: [1, 2] }, a: 1 }, domain: "a.test", baseUrl: "https://a.test" };
    expect(digest("urn", other)).toBe(digest("urn", request));
    expect(digest("urn", { a: 1, b: undefined })).toBe(digest("urn", { a: 1 }));
  });

  it.each<[string, string, unknown]>([
    ["URN", "urn-2", request],
    ["base URL", "urn", { ...request, baseUrl: "https://b.test" }],
    ["domain", "urn", { ...request, domain: "b.test" }],
    ["value in triggers", "urn", { ...request, triggers: { ...request.triggers, a: 2 } }],
    [
      "order in a list of triggers",
      "urn",
      { ...request, triggers: { ...request.triggers, b: { c: [2, 1], d: null } } },
    ],
    ["type in triggers", "urn", { ...request, triggers: { ...request.triggers, a: "1" } }],
    ["absence of triggers", "urn", { ...request, triggers: undefined }],
    ["null in place of triggers", "urn", { ...request, triggers: null }],
  ])("differs with another %s", (_, urn, other) => {
    expect(digest(urn, other)).not.toBe(digest("urn", request));
  });

  it("does not take an object for a list", () => {
    expect(digest({ a: 1 })).not.toBe(digest([["a", 1]]));
    expect(digest({})).not.toBe(digest([]));
  });

  it("tells nothing of what went in, and fits a file's name", () => {
    expect(digest("urn", request)).toMatch(/^[0-9a-f]{32}$/);
  });
});

describe("journalFolder", () => {
  it.each([
    [{ DOCS_PLATFORM_JOURNAL_DIR: " /j ", PULUMI_HOME: "/h" }, "/j"],
    [{ DOCS_PLATFORM_JOURNAL_DIR: " ", PULUMI_HOME: "/h" }, "/h/docs-platform"],
    [{ PULUMI_HOME: "/h" }, "/h/docs-platform"],
    [{ PULUMI_HOME: "" }, join(homedir(), ".pulumi", "docs-platform")],
    [{}, join(homedir(), ".pulumi", "docs-platform")],
  ])("of %j is %s", (environment, expected) => {
    expect(journalFolder(environment)).toBe(expected);
  });
});
