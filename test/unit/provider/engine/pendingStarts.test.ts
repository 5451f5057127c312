import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { remove } from "../../../../provider/engine/apply";
import { removeSavedEntry, scheduleSavedEntryRemoval } from "../../../../provider/engine/entryCleanup";
import { createOperationContext } from "../../../../provider/engine/operation";
import { plan } from "../../../../provider/engine/plan";
import { RecordedStart } from "../../../../provider/engine/recordedStart";
import { FolderJournal } from "../../../../provider/journal/folderJournal";
import { type JournalEntry, journalEntryName, startEntryPrefix } from "../../../../provider/journal/journal";
import { type OwnerProcess, thisProcess } from "../../../../provider/journal/ownerProcess";
import { resources } from "../../../../provider/resources/index";
import { GivenSettings, type JournalSettings } from "../../../../provider/settings/settings";
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
const inFolder = () => new GivenSettings({ environment: { DOCS_PLATFORM_JOURNAL: folder } });
const entries = (): JournalEntry[] =>
  existsSync(folder)
    ? readdirSync(folder).map((file) => JSON.parse(readFileSync(join(folder, file), "utf8")) as JournalEntry)
    : [];
const gone: OwnerProcess = { ...thisProcess(undefined), host: "another" };
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
      { idempotencyKey: start.idempotencyKey, owner: thisProcess(undefined), intendedAt: expect.any(Number) },
    ]);
    await start.accepted("job-1");
    expect(entries()).toMatchObject([{ id: "job-1", idempotencyKey: start.idempotencyKey }]);
    expect(start.entry).toBe(journalEntryName(startEntryPrefix(urn, request), start.idempotencyKey.slice(-12)));
    expect(open().idempotencyKey).not.toBe(start.idempotencyKey);
  });

  it("holds no key, no link and no domain, whatever the request contains", async () => {
    const triggers = { token: "svc_very-secret", link: "https://f.test/?sig=SIGNED" };
    const start = open(urn, {}, { ...request, triggers });
    await start.before();
    await start.accepted("job-1");
    const texts = readdirSync(folder).map((file) => file + readFileSync(join(folder, file), "utf8"));
    expect(texts).toHaveLength(1);
    expect(texts.join()).not.toMatch(/very-secret|SIGNED|a\.test|urn:pulumi/);
  });

  it("is not recorded if its resource has no URN, since two resources could not be distinguished", async () => {
    const { context } = createOperationContext({ settings: new GivenSettings({}) }, session);
    const start = context.pendingStart(request);
    await start.before();
    await start.accepted("job-1");
    expect({ entries: entries(), entry: start.entry }).toEqual({ entries: [], entry: undefined });
  });
});

describe("what an earlier run has started, and the state does not have,", () => {
  it("is reported instead of a new start, for the same resource and request", async () => {
    const acceptedAt = intendedAt + 1_000;
    const platformTime = acceptedAt + 86_400_000;
    await leave({ id: "job-1", intendedAt, acceptedAt, platformTime });
    const start = open();
    expect(await rejection(start.before())).toMatchObject({
      id: "job-1",
      acceptedAt,
      earliestBegin: platformTime - 1_000,
    });
    // `entry` is the name of the earlier run's entry, because the state must contain that name.
    expect(start.entry).toBe(name);
    await open("another urn").before();
    await open(urn, {}, { ...request, triggers: 1 }).before();
    expect(entries()).toHaveLength(3);
  });

  it.each([
    ["its file, as a restore may leave it", () => chmodSync(join(folder, `${name}.json`), 0o644)],
    ["its folder, for a group", () => chmodSync(folder, 0o2770)],
    ["its folder, for all, as a mount may show it", () => chmodSync(folder, 0o777)],
  ])("stops a start, required or not, if others can access %s; with its mode back, it counts", async (_, widen) => {
    await leave({ id: "job-1" });
    widen();
    for (const required of [false, true]) {
      const error = await rejection(open(urn, { required }).before());
      expect(error).toBeInstanceOf(JournalError);
      expect(error.message).toContain(`${name}.json cannot be used: other users can access`);
      expect(error.message).toContain(`run \`chmod -R go= ${folder}\``);
    }
    // An entry that was made for another request does not prevent this start.
    const settings = settingsWith({});
    await new RecordedStart(session, "another urn", request, settings).before();
    execFileSync("chmod", ["-R", "go=", folder]);
    expect(await rejection(open().before())).toMatchObject({ id: "job-1" });
  });

  it("stops a start if it is torn anywhere, with the name of its file, until that is removed or its job adopted", async () => {
    const file = join(folder, `${name}.json`);
    await leave({ id: "job-1" });
    const text = readFileSync(file);
    const cut = fc.integer({ min: 0, max: text.length - 1 }).map((at) => text.subarray(0, at));
    const torn = fc.oneof(cut, fc.constant(Buffer.alloc(text.length)));
    const holds = async (left: Buffer, isAdopted: boolean) => {
      session = new TestSession();
      writeFileSync(file, left, { mode: 0o600 });
      const error = await rejection(open().before());
      expect(error).toMatchObject({ code: "DOCS_JOURNAL" });
      expect(error.message).toContain(`if it did not, remove ${name}.json from the journal in ${folder}`);
      session = new TestSession();
      if (isAdopted) {
        await open().adopted("job-1");
      } else {
        rmSync(file);
      }
      const next = open();
      await next.before();
      await next.refused();
    };
    await fc.assert(fc.asyncProperty(torn, fc.boolean(), holds), { numRuns: 25 });
  });

  it("stays through the runs that keep what the state has, and is then told instead of a second start", async () => {
    const changed = { ...request, triggers: 1 };
    await leave({ id: "job-2" }, journalEntryName(startEntryPrefix(urn, changed), "ba9876543210"));
    const inputs = { domain: "a.test" };
    const state = { ...inputs, jobId: "job-1", status: "running", version: "job-1", __entry: name };
    const settings = new GivenSettings({
      environment: { DOCS_PLATFORM_BASE_URL: request.baseUrl, DOCS_PLATFORM_JOURNAL: folder },
    });
    const operation = { address: urn, id: "job-1", settings, signal: session.signal };
    for (const status of ["running", "completed"]) {
      plan(resources.StaticExport, { ...operation, state: { ...state, status }, inputs }, session);
      await session.allNoted();
    }
    expect(await rejection(open(urn, {}, changed).before())).toMatchObject({ id: "job-2" });
  });
});

describe("what a run has handed over to its engine", () => {
  it.each([
    ["started", async () => {}, (start: RecordedStart) => start.before()],
    ["continued", () => leave({ id: "job-1" }), (start: RecordedStart) => rejection(start.before())],
  ])(
    "is noted, if it was %s: once no state has it, a later run says so, and starts a new one",
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

  it("is not noted, if a deletion has shown that the continued job is saved", async () => {
    await leave({ id: "job-1" });
    const start = open();
    await rejection(start.before());
    session.starts.continued.delete("job-1");
    await start.handOver();
    expect(entries()).toEqual([expect.not.objectContaining({ handedOver: true })]);
  });
});

describe("what a create has continued", () => {
  const settings = () =>
    new GivenSettings({ environment: { DOCS_PLATFORM_BASE_URL: request.baseUrl, DOCS_PLATFORM_JOURNAL: folder } });
  const state = { domain: "a.test", jobId: "job-1", status: "completed", version: "job-1", __entry: name };
  const removal = () =>
    remove(resources.StaticExport, { address: urn, id: "job-1", state, settings: settings() }, session);

  it("cannot be deleted as the old one: the error asks for one more run, and the entry is gone", async () => {
    await leave({ id: "job-1" });
    await rejection(open().before());
    expect((await rejection(removal())).message).toContain("once more");
    expect(entries()).toEqual([]);
  });

  it("can be deleted if it was of no use: the create has started another one", async () => {
    await leave({ id: "job-1" });
    const start = open();
    await rejection(start.before());
    await start.discard("unknown");
    await removal();
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
    expect(entries()).toMatchObject([{ owner: thisProcess(undefined) }]);
  });

  it("goes, with all of its kind, if the state keeps the message as one that was sent: only that start's own entry stays", async () => {
    await leave({ intendedAt });
    await leave({ intendedAt: intendedAt + 1 }, another);
    const start = open();
    await rejection(start.before());
    await start.accepted("agent-1/0123456789ab", { isAnswered: false });
    expect(entries()).toEqual([expect.objectContaining({ id: "agent-1/0123456789ab", owner: thisProcess(undefined) })]);
    expect(entries()[0]).not.toHaveProperty("acceptedAt");
  });

  it("asks for all of them at once where there are several", async () => {
    await leave({ intendedAt });
    await leave({ intendedAt: intendedAt + 1 }, another);
    const error = await rejection(open().before());
    expect(error.message).toContain(`remove ${name}.json and ${another}.json from the journal in ${folder}`);
    expect(entries()).toHaveLength(2);
  });

  it("is an error of the journal where it cannot be read a second time, and nothing is sent", async () => {
    await leave({ intendedAt });
    const read = vi.spyOn(FolderJournal.prototype, "read");
    const text = await new FolderJournal(folder).read(name);
    read.mockResolvedValueOnce(text).mockRejectedValueOnce(new Error("EIO"));
    expect(await rejection(open().before())).toMatchObject({ code: "DOCS_JOURNAL" });
    read.mockRestore();
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
      await removeSavedEntry(session, inFolder(), { __entry });
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

  it("keep what the platform does not know by this key: another configuration of the provider may know it", async () => {
    await leave({ id: "job-1" });
    const start = open();
    await rejection(start.before());
    await start.discard("unknown");
    await start.before();
    // The second entry has a random key, so the order of the entries is random.
    expect(
      entries()
        .map(({ id }) => id)
        .sort(),
    ).toEqual(["job-1", undefined]);
    await start.refused();
    session = Object.assign(new TestSession(), { sharesAddresses: true });
    expect(await rejection(open().before())).toMatchObject({ id: "job-1" });
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

  it("is not needed for what this process itself has sent: its engine may call a create again", async () => {
    writeFileSync(folder, "a file in its place");
    const lost = open();
    await lost.before();
    expect(lost.removal).toBeUndefined();
    const error = await rejection(open().before());
    expect(error).toBeInstanceOf(AmbiguousStartError);
    expect(error.message).toMatch(/this run sent the same request at .* if it did not, run `pulumi up` again/s);
    await open("another urn").before();
    const started = open("a third urn");
    await started.before();
    await started.accepted("job-3");
    const again = open("a third urn");
    expect(await rejection(again.before())).toMatchObject({ id: "job-3", by: "this run" });
    // The entry of a failed job is removed, so that the next start is sent.
    await again.discard("failed");
    const refused = open("a third urn");
    await refused.before();
    await refused.refused();
    await open("a third urn").before();
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
