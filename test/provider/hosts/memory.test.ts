import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import net from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createMemory, forgetSaved } from "../../../provider/hosts/memory";
import { digest, Journal } from "../../../provider/journal/journal";
import { thisProcess } from "../../../provider/journal/owner";
import { unusedPort } from "../../../tools/processes/unusedPort";
import { runSource } from "../../fixtures/runSource";
import { listen } from "../../support/loopback";

const urn = "urn:pulumi:dev::p::t::n";
const request = { baseUrl: "https://a.test", domain: "a.test", triggers: undefined };
const argv = process.argv;

let root: string;
let folder: string;
let warnings: string[];

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "memory-"));
  folder = join(root, "journal");
  warnings = [];
  vi.stubEnv("DOCS_PLATFORM_JOURNAL_DIR", folder);
  process.argv = [...argv.slice(0, 2)];
});

afterEach(() => {
  process.argv = argv;
  vi.unstubAllEnvs();
  rmSync(root, { recursive: true, force: true });
});

const memory = (of: string | undefined = urn) => createMemory(of, (text) => warnings.push(text));
const entries = () => (existsSync(folder) ? readdirSync(folder) : []);
const gone = { ...thisProcess(undefined), host: "another" };
const leave = (id: string, at: number) => new Journal(folder).write(`${digest(urn)}-${digest(request)}`, id, gone, at);

async function engine(): Promise<string> {
  return `127.0.0.1:${(await listen(net.createServer((socket) => socket.on("error", () => {})))).port}`;
}

describe("a killed run's entry", () => {
  it("is recalled for the same resource and request, and forgotten on demand", async () => {
    const notedAt = Date.now();
    leave("job-1", notedAt);
    const mine = memory();
    expect(await mine.recall(request)).toEqual({ id: "job-1", notedAt });
    expect(await memory("another urn").recall(request)).toBeUndefined();
    expect(await memory().recall({ ...request, triggers: 1 })).toBeUndefined();
    expect(entries()).toHaveLength(1);
    mine.forget();
    expect(entries()).toEqual([]);
    expect(await memory().recall(request)).toBeUndefined();
  });

  it("is not recalled where its owner is at work: this very process, with an engine that listens", async () => {
    process.argv.push("-v=9", await engine());
    memory().note(request, "job-1");
    expect(await memory().recall(request)).toBeUndefined();
    expect(entries()).toHaveLength(1);
  });

  it("is recalled beside one whose owner is at work", async () => {
    leave("job-old", Date.now() - 1_000);
    process.argv.push(await engine());
    memory().note(request, "job-new");
    expect(await memory().recall(request)).toMatchObject({ id: "job-old" });
  });

  it("is recalled where the owner's engine is gone, though its process still runs", async () => {
    process.argv.push(`127.0.0.1:${await unusedPort()}`);
    memory().note(request, "job-1");
    expect(await memory().recall(request)).toMatchObject({ id: "job-1" });
  });

  it("holds no key and no link, whatever the request holds", () => {
    vi.stubEnv("DOCS_PLATFORM_API_KEY", "svc_very-secret");
    memory().note({ ...request, triggers: { token: "svc_very-secret", link: "https://f.test/?sig=SIGNED" } }, "job-1");
    const texts = entries().map((name) => name + readFileSync(join(folder, name), "utf8"));
    expect(texts).toHaveLength(1);
    expect(texts.join()).not.toMatch(/very-secret|SIGNED|a\.test|urn:pulumi/);
  });
});

describe("what the state names", () => {
  it("is saved: its entry is dropped before a create looks for one, whatever the request was, and no other one", async () => {
    for (const id of ["job-1", "job-2"]) {
      leave(id, Date.now());
    }
    memory("another urn").note(request, "job-1");
    forgetSaved(urn, "job-1");
    expect(await memory().recall(request)).toMatchObject({ id: "job-2" });
    expect(
      entries()
        .map((name) => JSON.parse(readFileSync(join(folder, name), "utf8")).id)
        .sort(),
    ).toEqual(["job-1", "job-2"]);
    forgetSaved(urn, "job-2");
    expect(await memory().recall(request)).toBeUndefined();
    expect(entries()).toHaveLength(1);
  });
});

describe("without a URN", () => {
  it("nothing is remembered, since nothing would tell two resources apart", async () => {
    const nameless = createMemory(undefined, (text) => warnings.push(text));
    nameless.note(request, "job-1");
    expect(await nameless.recall(request)).toBeUndefined();
    expect({ entries: entries(), warnings }).toEqual({ entries: [], warnings: [] });
  });
});

describe("a folder that cannot be written", () => {
  it("gives one warning that names the folder, the job and the remedy, and no failure", async () => {
    writeFileSync(folder, "a file in its place");
    const mine = memory();
    expect(await mine.recall(request)).toBeUndefined();
    mine.note(request, "job-1");
    mine.deliver();
    mine.forget();
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatch(new RegExp(`${folder}.*job-1.*DOCS_PLATFORM_JOURNAL_DIR`));
  });

  it("is also one that others may use", () => {
    leave("job-0", Date.now());
    chmodSync(folder, 0o755);
    memory().note(request, "job-1");
    expect(warnings).toEqual([expect.stringContaining("others may use it")]);
  });
});

describe("an entry that was delivered", () => {
  it("is kept for a moment, in which the engine saves, and dropped if the engine listens then", async () => {
    process.argv.push(await engine());
    const mine = memory();
    mine.note(request, "job-1");
    mine.deliver();
    await sleep(500);
    expect(entries()).toHaveLength(1);
    await vi.waitFor(() => expect(entries()).toEqual([]), 3_000);
    expect(process.listenerCount("SIGINT")).toBe(0);
  });

  it("is kept where the engine is gone by then: it has perhaps saved nothing", async () => {
    const script = `
      const { createMemory } = require("./provider/hosts/memory.ts");
      const memory = createMemory("urn", console.error);
      memory.note({}, "job-1");
      memory.deliver();
      console.log("ready");
      setTimeout(() => {}, 2_500);
    `;
    const address = `127.0.0.1:${await unusedPort()}`;
    const { code, output } = await runSource(script, ["dynamic-provider", address]).ended;
    expect({ code, output }).toEqual({ code: 0, output: "ready\n" });
    expect(entries()).toHaveLength(1);
  });

  it("is dropped at once when the engine ends the process by SIGINT, which then does not linger", async () => {
    const script = `
      const { createMemory } = require("./provider/hosts/memory.ts");
      for (const [urn, delivered] of [["a", true], ["b", true], ["c", false]]) {
        const memory = createMemory(urn, console.error);
        memory.note({}, "job-" + urn);
        if (delivered) memory.deliver();
      }
      setInterval(() => {}, 1_000);
      console.log("ready");
    `;
    const { child, ready, ended } = runSource(script, ["dynamic-provider", await engine()]);
    await ready;
    const begin = Date.now();
    child.kill("SIGINT");
    expect(await ended).toMatchObject({ code: 0 });
    expect(Date.now() - begin).toBeLessThan(1_000);
    // What is still under way stays.
    expect(entries().map((name) => JSON.parse(readFileSync(join(folder, name), "utf8")).id)).toEqual(["job-c"]);
  });

  it("after the run was cancelled, is kept when the engine ends the process: it has perhaps saved nothing", async () => {
    // At the end of every run the engine cancels too, after it has saved: what was delivered before that is dropped.
    const script = `
      const { createMemory } = require("./provider/hosts/memory.ts");
      const deliver = (urn) => {
        const memory = createMemory(urn, console.error);
        memory.note({}, "job-" + urn);
        memory.deliver();
      };
      deliver("before");
      Object.defineProperty(require("./provider/hosts/cancellation.ts").runSignal, "aborted", { value: true });
      deliver("after");
      setInterval(() => {}, 1_000);
      console.log("ready");
    `;
    const { child, ready, ended } = runSource(script, ["dynamic-provider", await engine()]);
    await ready;
    child.kill("SIGINT");
    expect(await ended).toMatchObject({ code: 0 });
    expect(entries().map((name) => JSON.parse(readFileSync(join(folder, name), "utf8")).id)).toEqual(["job-after"]);
  });

  it("leaves SIGINT alone while none waits: the process ends as any other", async () => {
    const script = `
      const { createMemory } = require("./provider/hosts/memory.ts");
      createMemory("a", console.error).note({}, "job-1");
      setInterval(() => {}, 1_000);
      console.log("ready");
    `;
    const { child, ready, ended } = runSource(script, ["dynamic-provider", await engine()]);
    await ready;
    child.kill("SIGINT");
    expect(await ended).toMatchObject({ signal: "SIGINT" });
    expect(entries()).toHaveLength(1);
  });
});
