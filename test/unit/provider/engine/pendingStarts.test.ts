import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { deleteResource } from "../../../../provider/engine/apply";
import { removeEntryOfSavedJob, scheduleSavedEntryRemoval } from "../../../../provider/engine/entryCleanup";
import { createOperationContext } from "../../../../provider/engine/operation";
import { RecordedStart } from "../../../../provider/engine/recordedStart";
import { FolderJournal } from "../../../../provider/journal/folderJournal";
import { type JournalEntry, journalEntryName, startEntryPrefix } from "../../../../provider/journal/journal";
import { identifyThisProcess, type OwnerProcess } from "../../../../provider/journal/ownerProcess";
import { resources } from "../../../../provider/resources/index";
import { CheckedSettings, type JournalSettings } from "../../../../provider/settings/settings";
import { AmbiguousStartError, JournalError } from "../../../../provider/support/errors";
import { noJournal, rejection } from "../../../support/clientUnderTest";
import { TestSession } from "../../../support/testSession";

const urn = "urn:pulumi:dev::p::t::n";
const request = { baseUrl: "https://a.test", domain: "a.test", triggers: undefined };
const key = "00000000-1111-2222-3333-0123456789ab";
const name = journalEntryName(startEntryPrefix(urn, request), "0123456789ab");
const intendedAt = Date.now() - 60_000;

let root: string;
let folder: string;
let session: TestSession;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "pending-"));
  folder = join(root, "journal");
  session = new TestSession();
});

afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

const settingsWith = (journal: Partial<JournalSettings>) => ({
  requestTimeout: 5_000,
  journal: { ...noJournal, place: folder, ...journal },
});
const open = (of = urn, journal: Partial<JournalSettings> = {}, asked: unknown = request) =>
  new RecordedStart(session, of, asked, settingsWith(journal));
const inFolder = () => new CheckedSettings({ environment: { DOCS_PLATFORM_JOURNAL: folder } });
const entries = (): JournalEntry[] =>
  existsSync(folder)
    ? readdirSync(folder).map((file) => JSON.parse(readFileSync(join(folder, file), "utf8")) as JournalEntry)
    : [];
const gone: OwnerProcess = { ...identifyThisProcess(undefined), host: "another" };
const leave = (entry: Partial<JournalEntry>, as = name) =>
  new FolderJournal(folder).write(
    as,
    JSON.stringify({ idempotencyKey: key, owner: gone, intendedAt: Date.now(), ...entry }),
  );
const another = journalEntryName(startEntryPrefix(urn, request), "ba9876543210");

describe("a start", () => {
  it("is intended before it is sent, accepted with its id, and carries one key for all of its tries", async () => {
    const start = open();
    await start.before();
    expect(entries()).toEqual([
      { idempotencyKey: start.idempotencyKey, owner: identifyThisProcess(undefined), intendedAt: expect.any(Number) },
    ]);
    await start.accepted("job-1");
    expect(entries()).toMatchObject([{ id: "job-1", idempotencyKey: start.idempotencyKey }]);
    expect(start.entry).toBe(journalEntryName(startEntryPrefix(urn, request), start.idempotencyKey.slice(-12)));
    expect(open().idempotencyKey).not.toBe(start.idempotencyKey);
  });

  it("is not recorded if its resource has no URN, since two resources could not be distinguished", async () => {
    const { context } = createOperationContext({ settings: new CheckedSettings({}) }, session);
    const start = context.pendingStart(request);
    await start.before();
    await start.accepted("job-1");
    expect({ entries: entries(), entry: start.entry }).toEqual({ entries: [], entry: undefined });
  });
});

it("what an earlier run has started, and the state does not have, is reported instead of a new start, for the same resource and request", async () => {
  const acceptedAt = intendedAt + 1_000;
  const platformTime = acceptedAt + 86_400_000;
  await leave({ id: "job-1", intendedAt, acceptedAt, platformTime });
  const start = open();
  expect(await rejection(start.before())).toMatchObject({
    id: "job-1",
    acceptedAt,
    earliestBegin: platformTime - 1_000,
  });
  // `entry` goes into the state, so it must be the name of the earlier run's entry.
  expect(start.entry).toBe(name);
  await open("another urn").before();
  await open(urn, {}, { ...request, triggers: 1 }).before();
  expect(entries()).toHaveLength(3);
});

it.each([
  ["started", async () => {}, (start: RecordedStart) => start.before()],
  ["continued", () => leave({ id: "job-1" }), (start: RecordedStart) => rejection(start.before())],
])(
  "what a run has handed over to its engine is noted, if it was %s: once no state has it, a later run says so, and starts a new one",
  async (how, before, begin) => {
    await before();
    const start = open();
    await begin(start);
    if (how === "started") {
      await start.accepted("job-1");
    }
    await start.handOver();
    expect(entries()).toEqual([expect.objectContaining({ id: "job-1", handedOver: true })]);
    session = Object.assign(new TestSession(), { savedInState: async () => "gone" });
    await open().before();
    expect(session.warnings).toEqual([
      expect.stringMatching(/^an earlier run started job-1 .* this run does not use it/),
    ]);
    expect(entries()).toEqual([expect.not.objectContaining({ id: "job-1" })]);
  },
);

describe("what a create has continued", () => {
  const settings = () =>
    new CheckedSettings({ environment: { DOCS_PLATFORM_BASE_URL: request.baseUrl, DOCS_PLATFORM_JOURNAL: folder } });
  const state = { domain: "a.test", jobId: "job-1", status: "completed", version: "job-1", __entry: name };
  const removal = () =>
    deleteResource(resources.StaticExport, { address: urn, id: "job-1", state, settings: settings() }, session);

  it("cannot be deleted as the old one: the error asks for one more run, and the entry is gone", async () => {
    await leave({ id: "job-1" });
    await rejection(open().before());
    expect((await rejection(removal())).message).toContain("once more");
    expect(entries()).toEqual([]);
  });
});

describe("an intent without an answer", () => {
  it("is not followed by a second start: the error names the time and the entry to remove", async () => {
    await leave({ intendedAt });
    const error = await rejection(open().before());
    expect(error).toBeInstanceOf(AmbiguousStartError);
    expect(error.message).toContain(new Date(intendedAt).toISOString());
    expect(error.message).toContain(`remove ${name}.json from the journal in ${folder}`);
    expect(entries()).toMatchObject([{ idempotencyKey: key, owner: gone }]);
    rmSync(join(folder, `${name}.json`));
    await open().before();
    expect(entries()).toMatchObject([{ owner: identifyThisProcess(undefined) }]);
  });

  it("asks for all of them at once where there are several", async () => {
    await leave({ intendedAt });
    await leave({ intendedAt: intendedAt + 1 }, another);
    const error = await rejection(open().before());
    expect(error.message).toContain(`remove ${name}.json and ${another}.json from the journal in ${folder}`);
    expect(entries()).toHaveLength(2);
  });
});

describe("what the state names", () => {
  it("is saved: its entry goes, and no other one", async () => {
    await leave({ id: "job-1" });
    await leave({ id: "job-2" }, another);
    scheduleSavedEntryRemoval(session, inFolder(), { __entry: name });
    // The start waits until the entry `name` is removed, and then finds the job of the second entry.
    expect(await rejection(open().before())).toMatchObject({ id: "job-2" });
    expect(entries().map(({ id }) => id)).toEqual(["job-2"]);
  });

  it("may be anything: only the name of an entry is looked for", async () => {
    const outside = join(root, "outside.json");
    writeFileSync(outside, "{}", { mode: 0o600 });
    await leave({ id: "job-1" });
    for (const __entry of ["../outside", 7, undefined, `${name}/../${name}`, startEntryPrefix(urn, request)]) {
      await removeEntryOfSavedJob(session, inFolder(), { __entry });
    }
    expect([existsSync(outside), entries().length]).toEqual([true, 1]);
  });
});

describe("resources that share an address", () => {
  beforeEach(() => {
    session = Object.assign(new TestSession(), { sharesAddresses: true });
  });

  it("leave the lost answer to the user if the adopted job had begun before it", async () => {
    await leave({ intendedAt });
    await open().adopted("job-7", intendedAt - 3_600_000);
    expect(entries()).toHaveLength(1);
    await open().adopted("job-8", intendedAt + 1_000);
    expect(entries()).toEqual([]);
  });
});

describe("a journal that cannot be written", () => {
  it("gives one warning that names the folder and the remedy, and no failure", async () => {
    writeFileSync(folder, "a file in its place");
    const start = open();
    await start.before();
    await start.accepted("job-1");
    await start.discard("failed");
    expect(session.warnings).toHaveLength(1);
    expect(session.warnings[0]).toMatch(new RegExp(`${folder}.*DOCS_PLATFORM_JOURNAL`));
  });

  it("is an error before anything is sent, where it is required", async () => {
    await leave({ id: "job-0" });
    chmodSync(folder, 0o755);
    const error = await rejection(open("another urn", { required: true }).before());
    expect(error).toBeInstanceOf(JournalError);
    expect(error.message).toMatch(
      /cannot be written: other users can access the folder \(mode 755\); nothing was sent/,
    );
    expect(error.message).toContain(`What to do: run \`chmod -R go= ${folder}\`.`);
  });

  it("is an error too where it can only be read", async () => {
    const write = vi.spyOn(FolderJournal.prototype, "write").mockRejectedValue(new Error("the disk is full"));
    const error = await rejection(open(urn, { required: true }).before());
    write.mockRestore();
    expect(error).toMatchObject({ code: "DOCS_JOURNAL", message: expect.stringContaining("cannot be written") });
    expect(error.message).toContain("nothing was sent");
    expect(session.warnings).toEqual([]);
  });
});
