import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import net from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { noteSaved, PendingStarts, settleSaved } from "../../../../provider/engine/pendingStarts";
import { FolderJournal } from "../../../../provider/journal/folderJournal";
import { digest, type Entry, entryName } from "../../../../provider/journal/journal";
import { type Owner, thisProcess } from "../../../../provider/journal/owner";
import { EarlierStart } from "../../../../provider/resources/pendingStart";
import { AmbiguousStartError, JournalError } from "../../../../provider/support/errors";
import type { JournalSettings, Settings } from "../../../../provider/support/settings";
import { noJournal, rejection } from "../../../support/clientUnderTest";
import { runSource } from "../../../support/fixtures/runSource";
import { listen } from "../../../support/loopback";
import { TestSession } from "../../../support/testSession";

const urn = "urn:pulumi:dev::p::t::n";
const request = { baseUrl: "https://a.test", domain: "a.test", triggers: undefined };
const name = entryName(urn, request);
const key = "00000000-1111-2222-3333-0123456789ab";
const writtenAt = Date.now() - 60_000;
const code = digest(key, writtenAt).slice(0, 12);
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
const leave = (entry: Partial<Entry>) =>
  new FolderJournal(folder).add(name, { idempotencyKey: key, owner: gone, writtenAt: Date.now(), ...entry });

async function engine(): Promise<string> {
  return `127.0.0.1:${(await listen(net.createServer((socket) => socket.on("error", () => {})))).port}`;
}

describe("a start", () => {
  it("is intended before it is sent, accepted with its id, and carries one key for all of its tries", async () => {
    const start = open();
    await start.before();
    expect(entries()).toEqual([
      { idempotencyKey: start.idempotencyKey, owner: thisProcess(undefined), writtenAt: expect.any(Number) },
    ]);
    await start.accepted("job-1");
    expect(entries()).toMatchObject([{ id: "job-1", idempotencyKey: start.idempotencyKey }]);
    expect(start.entry).toBe(name);
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
    const writtenAt = Date.now() - 1_000;
    await leave({ id: "job-1", writtenAt });
    expect(await rejection(open().before())).toMatchObject({ id: "job-1", acceptedAt: writtenAt });
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
    first.handOver();
    first.end();
    expect(await rejection(open().before())).toMatchObject({ id: "job-1" });
  });

  it("is refused in words while another process is at work on it", async () => {
    const script = `
      const { PendingStarts } = require("./provider/engine/pendingStarts.ts");
      const { processSession: session } = require("./provider/hosts/pulumi/session.ts");
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
    expect(error.message).toContain("nothing was sent");
    expect(await rejection(open().before())).toMatchObject({ id: "job-1" });
  });

  it("is discarded where it is of no use, and the next one is recorded", async () => {
    await leave({ id: "job-1" });
    const start = open();
    await rejection(start.before());
    await start.discard();
    expect(entries()).toEqual([]);
    await start.before();
    expect(entries()).toHaveLength(1);
  });
});

describe("an intent without an answer", () => {
  it("is not followed by a second start: the error names the time and the code", async () => {
    await leave({ writtenAt });
    const error = await rejection(open().before());
    expect(error).toBeInstanceOf(AmbiguousStartError);
    expect(error.message).toContain(new Date(writtenAt).toISOString());
    expect(error.message).toContain(`DOCS_PLATFORM_NOT_STARTED=${code}`);
    expect(entries()).toMatchObject([{ idempotencyKey: key, owner: gone }]);
  });

  it("is sent again, with the same key, where the user has given its code", async () => {
    await leave({ writtenAt });
    const start = open(urn, { notStarted: ["ffffffffffff", code] });
    await start.before();
    expect(start).toMatchObject({ wasDismissed: true, idempotencyKey: key });
    expect(entries()).toMatchObject([{ idempotencyKey: key, owner: { pid: process.pid } }]);
    // Where that answer is lost as well, it has another code: the setting may stay.
    expect(start.dismissal).not.toContain(code);
    expect(await rejection(open(urn, { notStarted: [code] }).before())).toBeInstanceOf(AmbiguousStartError);
  });

  it("is not sent again by the code of another one", async () => {
    await leave({ writtenAt });
    expect(await rejection(open(urn, { notStarted: ["ffffffffffff"] }).before())).toBeInstanceOf(AmbiguousStartError);
  });

  it("of a process that still waits for the answer is looked at again once it has it", async () => {
    const script = `
      const { PendingStarts } = require("./provider/engine/pendingStarts.ts");
      const { processSession: session } = require("./provider/hosts/pulumi/session.ts");
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
    await leave({ id: "job-2" });
    noteSaved(session, folder, { __entry: name }, "job-1");
    expect(await rejection(open().before())).toBeInstanceOf(EarlierStart);
    noteSaved(session, folder, { __entry: name }, "job-2");
    // A create waits for it.
    await open().before();
    expect(entries().map(({ id }) => id)).toEqual([undefined]);
    await settleSaved(folder, { __entry: name }, "job-2");
    expect(entries()).toHaveLength(1);
  });

  it("may be anything: only the name of an entry is looked for", async () => {
    const outside = join(root, "outside.json");
    writeFileSync(outside, JSON.stringify({ id: "job-1", idempotencyKey: key, owner: gone, writtenAt: Date.now() }), {
      mode: 0o600,
    });
    await leave({ id: "job-1" });
    for (const __entry of ["../outside", 7, undefined, `${name}/../${name}`]) {
      await settleSaved(folder, { __entry }, "job-1");
    }
    expect([existsSync(outside), entries().length]).toEqual([true, 1]);
  });
});

describe("a journal that cannot be written", () => {
  it("gives one warning that names the folder and the remedy, and no failure", async () => {
    writeFileSync(folder, "a file in its place");
    const start = open();
    await start.before();
    await start.accepted("job-1");
    await start.discard();
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatch(new RegExp(`${folder}.*DOCS_PLATFORM_JOURNAL`));
  });

  it("is an error before anything is sent, where it is required", async () => {
    mkdtempSync(join(root, "x"));
    await leave({ id: "job-0" });
    chmodSync(folder, 0o755);
    const error = await rejection(open(urn, { required: true }).before());
    expect(error).toBeInstanceOf(JournalError);
    expect(error.message).toMatch(/others may use it.*nothing was sent/);
  });
});

describe("the end of a run", () => {
  /** A process in which the engine was given the id of `a`, and, for `busy`, `b` is still at work. */
  const serving = async (environment: NodeJS.ProcessEnv, busy: boolean) => {
    const script = `
      const { PendingStarts } = require("./provider/engine/pendingStarts.ts");
      const { processSession: session } = require("./provider/hosts/pulumi/session.ts");
      const settings = { requestTimeout: 1_000, journal: { place: ${JSON.stringify(folder)}, notStarted: [] } };
      const create = async (urn, wait) => {
        const starts = new PendingStarts(session, urn, () => settings, console.error);
        const start = starts.open({});
        await start.before();
        await start.accepted("job-" + urn);
        await wait;
        starts.handOver();
        starts.end();
      };
      session.operation(() => create("a")).then(() => {
        if (${busy}) session.operation(() => create("b", new Promise(() => {})));
        setTimeout(() => console.log("ready"), 200);
      });
      setInterval(() => {}, 1_000);
    `;
    const run = runSource(script, ["dynamic-provider", await engine()], environment);
    await run.ready;
    const begin = Date.now();
    run.child.kill("SIGINT");
    expect(await run.ended).toMatchObject({ code: 0 });
    expect(Date.now() - begin).toBeLessThan(1_500);
    return entries()
      .map(({ id }) => id)
      .sort();
  };

  it("in good order comes after the engine has saved: what it was given needs no entry any more", async () => {
    expect(await serving({}, false)).toEqual([]);
  });

  it("while an operation is at work is no end in good order: every entry stays", async () => {
    expect(await serving({}, true)).toEqual(["job-a", "job-b"]);
  });

  it("comes before the engine has saved, where it writes no checkpoints: every entry stays", async () => {
    const environment = { PULUMI_EXPERIMENTAL: "true", PULUMI_SKIP_CHECKPOINTS: "1" };
    expect(await serving(environment, false)).toEqual(["job-a"]);
    rmSync(folder, { recursive: true });
    expect(await serving({ PULUMI_SKIP_CHECKPOINTS: "1" }, false)).toEqual([]);
  });

  it("waits for the answer of what was sent, so that the journal has it", async () => {
    const script = `
      const { PendingStarts } = require("./provider/engine/pendingStarts.ts");
      const { processSession: session } = require("./provider/hosts/pulumi/session.ts");
      const settings = { requestTimeout: 1_000, journal: { place: ${JSON.stringify(folder)}, notStarted: [] } };
      session.operation(async () => {
        const start = new PendingStarts(session, "a", () => settings, console.error).open({});
        await start.before();
        console.log("ready");
        await new Promise((resolve) => setTimeout(resolve, 1_000));
        await start.accepted("job-a");
        await new Promise(() => {});
      });
      setInterval(() => {}, 1_000);
    `;
    const { child, ready, ended } = runSource(script, ["dynamic-provider", await engine()]);
    await ready;
    child.kill("SIGINT");
    expect(await ended).toMatchObject({ code: 0 });
    expect(entries()).toMatchObject([{ id: "job-a" }]);
  });

  it("after a Ctrl-C tells nothing: also what the engine was given before stays", async () => {
    const script = `
      const { PendingStarts } = require("./provider/engine/pendingStarts.ts");
      const { processSession: session } = require("./provider/hosts/pulumi/session.ts");
      const cancelRun = () => session.cancel();
      const settings = { requestTimeout: 1_000, journal: { place: ${JSON.stringify(folder)}, notStarted: [] } };
      const give = async (urn) => {
        const starts = new PendingStarts(session, urn, () => settings, console.error);
        const start = starts.open({});
        await start.before();
        await start.accepted("job-" + urn);
        starts.handOver();
        starts.end();
      };
      give("before").then(cancelRun).then(() => give("after")).then(cancelRun).then(() => console.log("ready"));
      setInterval(() => {}, 1_000);
    `;
    const { child, ready, ended } = runSource(script, ["dynamic-provider", await engine()]);
    await ready;
    child.kill("SIGINT");
    expect(await ended).toMatchObject({ code: 0 });
    expect(
      entries()
        .map(({ id }) => id)
        .sort(),
    ).toEqual(["job-after", "job-before"]);
  });

  it("by a kill leaves every entry", async () => {
    const script = `
      const { PendingStarts } = require("./provider/engine/pendingStarts.ts");
      const { processSession: session } = require("./provider/hosts/pulumi/session.ts");
      const settings = { requestTimeout: 1_000, journal: { place: ${JSON.stringify(folder)}, notStarted: [] } };
      const starts = new PendingStarts(session, "a", () => settings, console.error);
      const start = starts.open({});
      start.before().then(() => start.accepted("job-a")).then(() => { starts.handOver(); console.log("ready"); });
      setInterval(() => {}, 1_000);
    `;
    const { child, ready, ended } = runSource(script, ["dynamic-provider", await engine()]);
    await ready;
    await sleep(50);
    child.kill("SIGKILL");
    await ended;
    expect(entries()).toMatchObject([{ id: "job-a" }]);
  });
});
