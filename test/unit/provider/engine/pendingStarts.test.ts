import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import net from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { dropSavedEntry, dropSavedEntryNow, noteAbandoned } from "../../../../provider/engine/evidence";
import { PendingStarts } from "../../../../provider/engine/pendingStarts";
import { systemWorld } from "../../../../provider/engine/world";
import { FolderJournal } from "../../../../provider/journal/folderJournal";
import { type Entry, journalEntryName, startName, writeEntry } from "../../../../provider/journal/journal";
import { type Owner, thisProcess } from "../../../../provider/journal/owner";
import type { EarlierStartError } from "../../../../provider/resources/pendingStart";
import type { JournalSettings, Settings } from "../../../../provider/settings/settings";
import { AmbiguousStartError, InterruptedError, JournalError } from "../../../../provider/support/errors";
import { noJournal, rejection } from "../../../support/clientUnderTest";
import { runSource } from "../../../support/fixtures/runSource";
import { listen } from "../../../support/loopback";
import { TestSession } from "../../../support/testSession";

const urn = "urn:pulumi:dev::p::t::n";
const request = { baseUrl: "https://a.test", domain: "a.test", triggers: undefined };
const key = "00000000-1111-2222-3333-0123456789ab";
const code = "0123456789ab";
const name = journalEntryName(startName(urn, request), code);
const intendedAt = Date.now() - 60_000;
const argv = process.argv;

let root: string;
let folder: string;
let warnings: string[];
let session: TestSession;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "pending-"));
  folder = join(root, "journal");
  warnings = [];
  session = new TestSession();
  process.argv = [...argv.slice(0, 2)];
});

afterEach(() => {
  process.argv = argv;
  vi.unstubAllEnvs();
  rmSync(root, { recursive: true, force: true });
});

const settingsWith = (journal: Partial<JournalSettings>) =>
  ({ requestTimeout: 5_000, journal: { ...noJournal, place: folder, ...journal } }) as Settings;
const starts = (of: string | undefined = urn, journal: Partial<JournalSettings> = {}) =>
  new PendingStarts(
    session,
    of,
    () => settingsWith(journal),
    (text) => warnings.push(text),
  );
const open = (of: string | undefined = urn, journal: Partial<JournalSettings> = {}, asked: unknown = request) =>
  starts(of, journal).open(asked);
const entries = (): Entry[] =>
  existsSync(folder)
    ? readdirSync(folder).map((file) => JSON.parse(readFileSync(join(folder, file), "utf8")) as Entry)
    : [];
const gone: Owner = { ...thisProcess(undefined), host: "another" };
const leave = (entry: Partial<Entry>, as = name) =>
  new FolderJournal(folder).write(
    as,
    writeEntry({ idempotencyKey: key, owner: gone, intendedAt: Date.now(), ...entry }),
  );
const another = journalEntryName(startName(urn, request), "ba9876543210");

async function engine(): Promise<string> {
  return `127.0.0.1:${(await listen(net.createServer((socket) => socket.on("error", () => {})))).port}`;
}

describe("a start", () => {
  it("is intended before it is sent, accepted with its id, and carries one key for all of its tries", async () => {
    const start = open();
    await start.before();
    expect(entries()).toEqual([
      { idempotencyKey: start.idempotencyKey, owner: thisProcess(undefined), intendedAt: expect.any(Number) },
    ]);
    await start.accepted("job-1");
    expect(entries()).toMatchObject([{ id: "job-1", idempotencyKey: start.idempotencyKey }]);
    expect(start.entry).toBe(journalEntryName(startName(urn, request), start.idempotencyKey.slice(-12)));
    expect(open().idempotencyKey).not.toBe(start.idempotencyKey);
  });

  it("that surely was not accepted leaves nothing", async () => {
    const start = open();
    await start.before();
    await start.refused();
    expect(entries()).toEqual([]);
  });

  it("holds no key, no link and no domain, whatever the request holds", async () => {
    const triggers = { token: "svc_very-secret", link: "https://f.test/?sig=SIGNED" };
    const start = open(urn, {}, { ...request, triggers });
    await start.before();
    await start.accepted("job-1");
    const texts = readdirSync(folder).map((file) => file + readFileSync(join(folder, file), "utf8"));
    expect(texts).toHaveLength(1);
    expect(texts.join()).not.toMatch(/very-secret|SIGNED|a\.test|urn:pulumi/);
  });

  it("of a resource without a URN is not recorded, since nothing would tell two resources apart", async () => {
    const start = new PendingStarts(session, undefined, () => settingsWith({}), String).open(request);
    await start.before();
    await start.accepted("job-1");
    expect({ entries: entries(), entry: start.entry }).toEqual({ entries: [], entry: undefined });
  });
});

describe("what an earlier run has started, and the state does not have,", () => {
  it("is told in place of a new start, for the same resource and request", async () => {
    const acceptedAt = intendedAt + 1_000;
    const platformTime = acceptedAt + 86_400_000;
    await leave({ id: "job-1", intendedAt, acceptedAt, platformTime });
    const start = open();
    expect(await rejection(start.before())).toMatchObject({
      id: "job-1",
      acceptedAt,
      earliestBegin: platformTime - 1_000,
    });
    // The state names its entry.
    expect(start.entry).toBe(name);
    await open("another urn").before();
    await open(urn, {}, { ...request, triggers: 1 }).before();
    expect(entries()).toHaveLength(3);
  });

  it("is told to a create that the engine repeats in this very process", async () => {
    process.argv.push("-v=9", await engine());
    const first = starts();
    const start = first.open(request);
    await start.before();
    await start.accepted("job-1");
    first.end();
    expect(await rejection(open().before())).toMatchObject({ id: "job-1" });
  });

  it("is not settled by a call of the process that has started it, as an update in the same step is", async () => {
    const start = open();
    await start.before();
    await start.accepted("job-1");
    dropSavedEntry(session, folder, { __entry: start.entry });
    await dropSavedEntryNow(session, folder, { __entry: start.entry });
    await session.allNoted();
    expect(entries()).toMatchObject([{ id: "job-1" }]);
    const later = new TestSession();
    await dropSavedEntryNow(later, folder, { __entry: start.entry });
    expect(entries()).toEqual([]);
  });

  it("is not settled either by one that has taken it up", async () => {
    await leave({ id: "job-1" });
    await rejection(open().before());
    await dropSavedEntryNow(session, folder, { __entry: name });
    expect(entries()).toMatchObject([{ id: "job-1" }]);
  });

  it("is passed over where the state has it: another one is wanted", async () => {
    await leave({ id: "job-1" });
    session.standing = async () => "saved";
    await open().before();
    expect(entries().map(({ id }) => id)).toEqual([undefined]);
  });

  it("is an error that names the file where it cannot be read, and nothing is sent", async () => {
    await leave({ id: "job-1" });
    chmodSync(join(folder, `${name}.json`), 0o644);
    const error = await rejection(open().before());
    expect(error).toBeInstanceOf(JournalError);
    expect(error.message).toContain(`${name}.json`);
    expect(readdirSync(folder)).toHaveLength(1);
  });

  it("is named once where a plain run keeps the old one, and is not handed out as a new one later", async () => {
    await leave({ id: "job-1" });
    await leave({ id: "job-2" }, another);
    noteAbandoned(session, folder, { __entry: name }, (text) => warnings.push(text));
    await session.allNoted();
    expect(warnings).toEqual([expect.stringContaining("no state has job-2")]);
    expect(entries()).toMatchObject([{ id: "job-1" }]);
  });

  it("is named in the same case where its answer was lost, and stays", async () => {
    await leave({}, another);
    noteAbandoned(session, folder, { __entry: name }, (text) => warnings.push(text));
    await session.allNoted();
    expect(warnings).toEqual([expect.stringContaining("the answer was lost")]);
    expect(entries()).toHaveLength(1);
  });

  it("is refused in words while another process is at work on it", async () => {
    const script = `
      const { PendingStarts } = require("./provider/engine/pendingStarts.ts");
      const { processSession: session } = require("./provider/pulumiEngine/session.ts");
      const settings = { requestTimeout: 1_000, journal: { place: ${JSON.stringify(folder)}, notStarted: [] } };
      const start = new PendingStarts(session, ${JSON.stringify(urn)}, () => settings, console.error).open(${JSON.stringify(request)});
      start.before().then(() => start.accepted("job-1")).then(() => console.log("ready"));
      setInterval(() => {}, 1_000);
    `;
    const { child, ready, ended } = runSource(script, ["dynamic-provider", await engine()]);
    await ready;
    const error = await rejection(open().before());
    child.kill("SIGKILL");
    await ended;
    expect(error).toBeInstanceOf(JournalError);
    expect(error.message).toContain("this run sent nothing");
    expect(await rejection(open().before())).toMatchObject({ id: "job-1" });
  });

  it("is discarded where it is of no use, and the next one is recorded", async () => {
    await leave({ id: "job-1" });
    const start = open();
    await rejection(start.before());
    await start.discard("failed");
    expect(entries()).toEqual([]);
    await start.before();
    expect(entries()).toHaveLength(1);
  });
});

describe("an intent without an answer", () => {
  it("is not followed by a second start: the error names the time and the code", async () => {
    await leave({ intendedAt });
    const error = await rejection(open().before());
    expect(error).toBeInstanceOf(AmbiguousStartError);
    expect(error.message).toContain(new Date(intendedAt).toISOString());
    expect(error.message).toContain(`DOCS_PLATFORM_NOT_STARTED=${code}`);
    expect(entries()).toMatchObject([{ idempotencyKey: key, owner: gone }]);
  });

  it("is sent again, with the same key, where the user has given its code", async () => {
    await leave({ intendedAt });
    const start = open(urn, { notStarted: ["ffffffffffff", code] });
    await start.before();
    expect(start).toMatchObject({ dismissedStart: intendedAt, idempotencyKey: key });
    expect(entries()).toMatchObject([{ idempotencyKey: key, owner: thisProcess(undefined) }]);
    // If that answer is lost as well, it has another code, so the setting may stay.
    expect(start.dismissal).not.toContain(code);
    expect(await rejection(open(urn, { notStarted: [code] }).before())).toBeInstanceOf(AmbiguousStartError);
  });

  it("asks for all of them at once where there are several", async () => {
    await leave({ intendedAt });
    await leave({ intendedAt: intendedAt + 1 }, another);
    const error = await rejection(open().before());
    expect(error.message).toContain(`DOCS_PLATFORM_NOT_STARTED=${code},ba9876543210`);
    await open(urn, { notStarted: [code, "ba9876543210"] }).before();
    expect(entries()).toHaveLength(1);
  });

  it("is settled by the message that is kept as sent: nothing asks about it, or names it, again", async () => {
    await leave({ intendedAt });
    const start = open();
    await rejection(start.before());
    await start.accepted("agent-1/0123456789ab");
    expect(entries()).toMatchObject([{ id: "agent-1/0123456789ab" }]);
    // The same process is no evidence, and the run after a kill continues with the job.
    await dropSavedEntryNow(session, folder, { __entry: start.entry });
    expect(await rejection(open().before())).toMatchObject({ id: "agent-1/0123456789ab" });
  });

  it("is settled by the job that the program adopts in its place", async () => {
    await leave({ intendedAt });
    await open().settle("job-7");
    expect(entries()).toEqual([]);
  });

  it("is taken back, and is no doubt in the next run, where the run was cancelled before it was sent", async () => {
    const start = open();
    const begun = start.before();
    session.cancel();
    session.cancel();
    const ended = session.end();
    await begun.then(() => start.refused()).catch(() => {});
    await ended;
    expect(entries()).toEqual([]);
  });

  it("is taken back where the engine of this process is gone: nobody would hear of the job", async () => {
    session.engineAddress = () => "127.0.0.1:9";
    expect(await rejection(open().before())).toBeInstanceOf(InterruptedError);
    expect(entries()).toEqual([]);
  });

  it("is not sent again by the code of another one", async () => {
    await leave({ intendedAt });
    expect(await rejection(open(urn, { notStarted: ["ffffffffffff"] }).before())).toBeInstanceOf(AmbiguousStartError);
  });

  it("is an error of the journal where it cannot be read a second time, and nothing is sent", async () => {
    await leave({ intendedAt });
    const read = vi.spyOn(FolderJournal.prototype, "read");
    const text = await new FolderJournal(folder).read(name);
    read.mockResolvedValueOnce(text).mockRejectedValueOnce(new Error("EIO"));
    expect(await rejection(open().before())).toMatchObject({ code: "DOCS_JOURNAL" });
    read.mockRestore();
  });

  it("of a process that still waits for the answer is looked at again once it has it", async () => {
    const script = `
      const { PendingStarts } = require("./provider/engine/pendingStarts.ts");
      const { processSession: session } = require("./provider/pulumiEngine/session.ts");
      const settings = { requestTimeout: 1_000, journal: { place: ${JSON.stringify(folder)}, notStarted: [] } };
      const start = new PendingStarts(session, ${JSON.stringify(urn)}, () => settings, console.error).open(${JSON.stringify(request)});
      start.before().then(() => {
        console.log("ready");
        setTimeout(() => start.accepted("job-1"), 1_000);
      });
    `;
    const { ready, ended } = runSource(script, ["dynamic-provider"]);
    await ready;
    expect(await rejection(open().before())).toMatchObject({ id: "job-1" });
    await ended;
  });
});

describe("what the state names", () => {
  it("is saved: its entry goes, and no other one", async () => {
    await leave({ id: "job-1" });
    await leave({ id: "job-2" }, another);
    dropSavedEntry(session, folder, { __entry: name });
    // A create waits for the answer.
    expect(await rejection(open().before())).toMatchObject({ id: "job-2" });
    expect(entries().map(({ id }) => id)).toEqual(["job-2"]);
  });

  it("also settles an entry into which the answer could not be written", async () => {
    await leave({});
    await dropSavedEntryNow(session, folder, { __entry: name });
    expect(entries()).toEqual([]);
  });

  it("may be anything: only the name of an entry is looked for", async () => {
    const outside = join(root, "outside.json");
    writeFileSync(outside, "{}", { mode: 0o600 });
    await leave({ id: "job-1" });
    for (const __entry of ["../outside", 7, undefined, `${name}/../${name}`, startName(urn, request)]) {
      await dropSavedEntryNow(session, folder, { __entry });
    }
    expect([existsSync(outside), entries().length]).toEqual([true, 1]);
  });
});

describe("resources that nothing tells apart", () => {
  beforeEach(() => {
    // All of them look at the same moment.
    const world = { ...systemWorld, isAtWork: () => new Promise<boolean>((tell) => setImmediate(() => tell(false))) };
    session = Object.assign(new TestSession(world), { sharesAddresses: true, asksState: false });
  });
  const names = Array.from({ length: 12 }, (_, n) =>
    journalEntryName(startName(urn, request), `${n}`.padStart(12, "0")),
  );

  it("take up each what an earlier run has started, however many they are, and each only one", async () => {
    await Promise.all(names.map((as, n) => leave({ id: `job-${n}` }, as)));
    const found = await Promise.all(names.map(async () => rejection(open().before())));
    expect(new Set(found.map((error) => (error as EarlierStartError).id)).size).toBe(12);
    await open().before();
    expect(entries()).toHaveLength(13);
  });

  it("do not take up what another one of them has started in this process", async () => {
    const first = open();
    await first.before();
    await first.accepted("job-1");
    await open().before();
    expect(entries()).toHaveLength(2);
  });

  it("ask each about one lost answer, and an adoption settles one", async () => {
    await Promise.all(names.slice(0, 2).map((as) => leave({}, as)));
    const errors = await Promise.all([rejection(open().before()), rejection(open().before())]);
    const codes = errors.map(({ message }) => /NOT_STARTED=(\S+)/.exec(message)?.[1]);
    expect(codes.toSorted()).toEqual(["000000000000", "000000000001"]);
    session = Object.assign(new TestSession(), { sharesAddresses: true });
    await open().settle("job-7");
    expect(entries()).toHaveLength(1);
  });

  it("an adoption leaves the one of them that the user has dismissed: another one starts in its place", async () => {
    await leave({ intendedAt });
    await leave({ intendedAt: intendedAt + 1 }, another);
    session = Object.assign(new TestSession(), { sharesAddresses: true });
    await open(urn, { notStarted: [code] }).settle("job-7");
    expect(readdirSync(folder)).toEqual([`${name}.json`]);
  });

  it("ask about no other lost answer when the start in place of a dismissed one is tried again", async () => {
    await leave({ intendedAt });
    await leave({ intendedAt: intendedAt + 1 }, another);
    const start = open(urn, { notStarted: [code] });
    await start.before();
    await start.refused();
    await start.before();
    expect(entries()).toHaveLength(2);
  });

  it("leave the lost answer to the user if the adopted job had begun before it", async () => {
    await leave({ intendedAt });
    await open().settle("job-7", intendedAt - 3_600_000);
    expect(entries()).toHaveLength(1);
    await open().settle("job-8", intendedAt + 1_000);
    expect(entries()).toEqual([]);
  });

  it("keep what the platform does not know by this key: another configuration of the provider may know it", async () => {
    await leave({ id: "job-1" });
    const start = open();
    await rejection(start.before());
    await start.discard("unknown");
    await start.before();
    expect(entries()).toMatchObject([{ id: "job-1" }, {}]);
    await start.refused();
    session = Object.assign(new TestSession(), { sharesAddresses: true });
    expect(await rejection(open().before())).toMatchObject({ id: "job-1" });
  });

  it("do not take up what was handed over, and is in no state: a warning names it", async () => {
    const starts = new PendingStarts(session, urn, () => settingsWith({}), String);
    const start = starts.open(request);
    await start.before();
    await start.accepted("job-1");
    await starts.handedOver();
    session = Object.assign(new TestSession(), { sharesAddresses: true, standing: async () => "gone" });
    await open().before();
    expect(warnings).toEqual([expect.stringContaining("an earlier run started job-1")]);
    expect(entries()).toHaveLength(2);
  });
});

describe("a journal that cannot be written", () => {
  it("gives one warning that names the folder and the remedy, and no failure", async () => {
    writeFileSync(folder, "a file in its place");
    const start = open();
    await start.before();
    await start.accepted("job-1");
    await start.discard("failed");
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatch(new RegExp(`${folder}.*DOCS_PLATFORM_JOURNAL`));
  });

  it("is an error before anything is sent, where it is required", async () => {
    mkdtempSync(join(root, "x"));
    await leave({ id: "job-0" });
    chmodSync(folder, 0o755);
    const error = await rejection(open(urn, { required: true }).before());
    expect(error).toBeInstanceOf(JournalError);
    expect(error.message).toMatch(/other users can access the folder \(mode 755\); nothing was sent/);
    expect(error.message).toContain(`What to do: run \`chmod 700 ${folder}\`.`);
  });
});

describe("the end of a run", () => {
  const script = (work: string) => `
    const { PendingStarts } = require("./provider/engine/pendingStarts.ts");
    const { processSession: session } = require("./provider/pulumiEngine/session.ts");
    const settings = { requestTimeout: 1_000, journal: { place: ${JSON.stringify(folder)}, notStarted: [] } };
    const start = new PendingStarts(session, "a", () => settings, console.error).open({});
    ${work}
    setInterval(() => {}, 1_000);
  `;

  it.each(["SIGINT", "SIGKILL"] as const)(
    "by %s leaves what was accepted: only a later process shows that it is saved",
    async (signal) => {
      const work = 'start.before().then(() => start.accepted("job-a")).then(() => console.log("ready"));';
      const { child, ready, ended } = runSource(script(work), ["dynamic-provider", await engine()]);
      await ready;
      child.kill(signal);
      await ended;
      expect(entries()).toMatchObject([{ id: "job-a" }]);
    },
  );

  it("waits for the answer of what was sent, so that the journal has it", async () => {
    const work = `start.before().then(() => {
      console.log("ready");
      process.once("SIGINT", () => setTimeout(() => start.accepted("job-a"), 200));
    });`;
    const { child, ready, ended } = runSource(script(work), ["dynamic-provider", await engine()]);
    await ready;
    child.kill("SIGINT");
    expect(await ended).toMatchObject({ code: 0 });
    expect(entries()).toMatchObject([{ id: "job-a" }]);
  });
});
