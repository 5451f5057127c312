import { homedir } from "node:os";
import { join } from "node:path";
import { isMainThread } from "node:worker_threads";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import {
  digest,
  entryNameHasResourcePrefix,
  findEntry,
  isEntryExpired,
  isEntryName,
  type Journal,
  journalEntryName,
  parseEntryFileName,
  parseJournalEntry,
  startEntryPrefix,
} from "../../../../provider/journal/journal";
import { defaultJournalFolder, journalPlaceProblem, openJournal } from "../../../../provider/journal/openJournal";
import { rejection } from "../../../support/clientUnderTest";

const owner = { host: "here", pid: 4_711, began: "1", engine: "127.0.0.1:1" };
const now = Date.parse("2026-03-01T00:00:00.000Z");
const week = 7 * 86_400_000;
const intended = { intendedAt: now, idempotencyKey: "key-1", owner };
const accepted = { ...intended, id: "job-1", acceptedAt: now + 1 };

describe("an entry", () => {
  it.each([intended, accepted, { ...accepted, handedOver: true as const }])(
    "reads back as it was written: %j",
    (entry) => {
      expect(parseJournalEntry(JSON.stringify(entry))).toEqual(entry);
    },
  );

  it("is too old after a week by the platform's clock, otherwise by that of its machine, and never before its time", () => {
    const month = 30 * 86_400_000;
    const at = (platformTime: number) => isEntryExpired({ ...accepted, intendedAt: now - month, platformTime }, now);
    expect([now - week, now - week + 1, now + month].map(at)).toEqual([true, false, false]);
    const by = (intendedAt: number) => isEntryExpired({ ...intended, intendedAt }, now);
    expect([now - week, now - week + 1, now + month].map(by)).toEqual([true, false, false]);
  });

  it.each<[string, string]>([
    ["nothing", ""],
    ["half of an entry", JSON.stringify(accepted).slice(0, 30)],
    ["no object", "null"],
    ...[
      ["an id that is no text", { ...accepted, id: 7 }],
      ["an id that is a step in a path", { ...accepted, id: ".." }],
      ["no key", { ...accepted, idempotencyKey: undefined }],
      ["a key that would end a header", { ...accepted, idempotencyKey: "a\r\nb" }],
      ["no owner", { ...accepted, owner: undefined }],
      ["an owner without a host", { ...accepted, owner: { ...owner, host: undefined } }],
      ["an owner whose pid is no whole number", { ...accepted, owner: { ...owner, pid: 1.5 } }],
      ["an owner whose pid means every process", { ...accepted, owner: { ...owner, pid: -1 } }],
      ["a time that is no number", { ...accepted, intendedAt: "now" }],
      ["a time before every clock", { ...accepted, intendedAt: -1 }],
      ["a time after the year 9999", { ...accepted, platformTime: Date.UTC(10_000) }],
    ].map(([what, value]) => [String(what), JSON.stringify(value)] as [string, string]),
  ])("is not %s", (_, text) => {
    expect(parseJournalEntry(text)).toBeUndefined();
  });

  it("has a name that is made of the resource, the request and a part of its own, and leads nowhere else", () => {
    const start = startEntryPrefix("urn", { domain: "a.test" });
    const name = journalEntryName(start, "0123456789ab");
    expect(isEntryName(name)).toBe(true);
    expect([entryNameHasResourcePrefix(name, start), entryNameHasResourcePrefix(name, `${start.slice(1)}0`)]).toEqual([
      true,
      false,
    ]);
    expect(parseEntryFileName(name)).toEqual({ start, intent: "0123456789ab" });
    expect(["", "a-b", "../x", undefined, 7, start, `${name}/`, `${name}.x`].filter(isEntryName)).toEqual([]);
  });
});

describe("what is found of an entry", () => {
  const holding = (text: string | undefined | Error): Journal => ({
    place: "x",
    isRemote: false,
    list: async () => [],
    read: async () => {
      if (text instanceof Error) {
        throw text;
      }
      return text;
    },
    write: async () => {},
    remove: async () => {},
  });

  it("is nothing where there is none", async () => {
    expect(await findEntry(holding(undefined), "name")).toBeUndefined();
  });

  it.each<[string, string | Error]>([
    ["it is empty", ""],
    ["it was cut off", JSON.stringify(accepted).slice(0, 30)],
    ["a later version has written it", '{"format":2}'],
    ["it cannot be read", new Error("EACCES: /folder/name.json")],
  ])("is an error that says why where %s", async (_, text) => {
    const error = await rejection(findEntry(holding(text), "name"));
    expect(error.message).toMatch(/^it was cut off, or a newer version|EACCES/);
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
    ["domain", "urn", { ...request, domain: "b.test" }],
    ["value in triggers", "urn", { ...request, triggers: { ...request.triggers, a: 2 } }],
    [
      "order in a list of triggers",
      "urn",
      { ...request, triggers: { ...request.triggers, b: { c: [2, 1], d: null } } },
    ],
    ["absence of triggers", "urn", { ...request, triggers: undefined }],
    ["null in place of triggers", "urn", { ...request, triggers: null }],
  ])("differs with another %s", (_, urn, other) => {
    expect(digest(urn, other)).not.toBe(digest("urn", request));
  });

  it("does not take an object for a list", () => {
    expect(digest({ a: 1 })).not.toBe(digest([["a", 1]]));
    expect(digest({})).not.toBe(digest([]));
  });
});

const noHome: [undefined, Record<string, string>, string] = [
  undefined,
  { HOME: "", PULUMI_HOME: "" },
  "the home folder of this user is not known",
];

describe("the place of a journal", () => {
  it.each([
    [{ PULUMI_HOME: "/h" }, "/h/docs-platform"],
    [{ PULUMI_HOME: "" }, join(homedir(), ".pulumi", "docs-platform")],
    [{}, join(homedir(), ".pulumi", "docs-platform")],
  ])("is by default, with %j, %s", (environment, expected) => {
    expect(defaultJournalFolder(environment)).toBe(expected);
  });

  it("is a folder, or a bucket that machines share", () => {
    for (const folder of ["/some/folder", "/some/s3://folder"]) {
      expect(openJournal(folder)).toMatchObject({ place: folder, isRemote: false });
    }
    const place = "s3://bucket/journal?region=eu-central-1";
    expect(openJournal(place)).toMatchObject({ place, isRemote: true });
    expect(openJournal(place)).toBe(openJournal(place));
    expect(openJournal("S3://bucket/journal?region=eu-central-1")).toMatchObject({ isRemote: true });
  });

  it.each([
    ["gs://bucket/prefix", "has the unknown scheme gs: give a folder, or s3://bucket"],
    ["s3://", "is not an absolute address"],
    ["s3://key:secret@bucket/prefix", "must not contain credentials"],
    ["s3://bucket/prefix?endpoint=http://s3.example.com", "has an endpoint with plain http"],
  ])("is refused by check without a request: %s", (place, reason) => {
    expect(journalPlaceProblem(place)).toContain(`the setting journal ${reason}`);
    expect(journalPlaceProblem(place)).not.toContain("secret");
  });

  const unusable: [place: string | undefined, environment: Record<string, string>, reason: string][] = [
    ["s3://bucket/prefix?colour=red", {}, "accepts only the parameters"],
    // The system looks up the home folder in an environment that a worker thread cannot change.
    ...(isMainThread ? [noHome] : []),
  ];
  it.each(unusable)(
    "that cannot be opened, %s with %j, fails where it is used, and not before",
    async (place, environment, reason) => {
      onTestFinished(() => void vi.unstubAllEnvs());
      for (const [name, value] of Object.entries(environment)) {
        vi.stubEnv(name, value);
      }
      const journal = openJournal(place);
      const uses = [journal.list(""), journal.read("x"), journal.write("x", ""), journal.remove("x")];
      for (const use of uses) {
        await expect(use).rejects.toMatchObject({
          message: expect.stringContaining(reason),
          remedy: expect.stringContaining("DOCS_PLATFORM_JOURNAL"),
        });
      }
    },
  );

  it.each([undefined, "/some/folder", "some folder", "C:\\journal", "C://journal", "s3://bucket/prefix"])(
    "may be %s",
    (place) => {
      expect(journalPlaceProblem(place)).toBeUndefined();
    },
  );
});
