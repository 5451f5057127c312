import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { readAdminApiKey } from "../../../../provider/platform/apiKeys";
import type { ApiKeySource } from "../../../../provider/settings/apiKeySource";
import { splitCommand } from "../../../../provider/settings/apiKeyText";
import { clientFor, clientOperations, goodBody, never, rejection } from "../../../support/clientUnderTest";
import { answer, type Loopback, type Reply, serve } from "../../../support/loopback";
import { folderOfFile } from "../../../support/temporaryFolder";

const folder = folderOfFile();
// Each key gets a new file, because the key command of an earlier test may still write to its own file.
let files = 0;

function keyFile(text: string) {
  const file = join(folder, `key-${++files}`);
  writeFileSync(file, text);
  return { file, from: "DOCS_PLATFORM_API_KEY_FILE", rotate: (next: string) => writeFileSync(file, next) };
}

/** Returns a command that runs this script, and the file in which the script counts its runs. */
function keyCommand(script: string) {
  const runs = join(folder, `runs-${++files}`);
  writeFileSync(runs, "");
  const counting = `require("node:fs").appendFileSync(${JSON.stringify(runs)}, "x");${script}`;
  const source = { command: [process.execPath, "-e", counting], from: "DOCS_PLATFORM_API_KEY_COMMAND" };
  return { source, runs: () => readFileSync(runs, "utf8").length };
}

/** Starts a platform that accepts one key and answers 401 to any other. */
async function platformFor(accepted: () => string): Promise<Loopback> {
  const reply: Reply = (response, seen) => {
    const isGood = seen.request.headers.authorization === `Bearer ${accepted()}`;
    (isGood ? answer(202, goodBody) : answer(401, { error: "invalid key" }))(response, seen);
  };
  return serve(reply);
}

describe("a key from a file", () => {
  it("that is the same after a 401 ends in the error of a 401, whose remedy names the file", async () => {
    const server = await platformFor(() => "svc_other");
    const { file, from } = keyFile("svc_s3cr3t");
    const error = await rejection(clientOperations.startExport(clientFor(server.url, { apiKey: { file, from } })));
    expect(error).toMatchObject({ code: "DOCS_AUTHENTICATION", doubtful: false });
    expect(error.message).toContain(`${file} (DOCS_PLATFORM_API_KEY_FILE): this run read the file again`);
    expect(error.message).not.toContain("s3cr3t");
    expect(server.requests).toHaveLength(1);
  });

  it.each([
    ["which does not exist", (): ApiKeySource => ({ file: join(folder, "none"), from: "X" }), "does not exist"],
    ["which is a folder", () => ({ file: folder, from: "X" }), "is a folder"],
    ["which is empty", () => keyFile(" \n"), "contains no key"],
    ["which holds more than a key", () => keyFile("key: s3cr3t"), "contains a value that is not a bearer token"],
    ["which holds two", () => keyFile("s3cr3t\ns3cr3t2"), "contains a value that is not a bearer token"],
  ])("%s is reported, and nothing was sent", async (_, source, told) => {
    const server = await platformFor(() => "svc_any");
    const error = await rejection(clientOperations.startExport(clientFor(server.url, { apiKey: source() })));
    expect(error).toMatchObject({ code: "DOCS_CONFIGURATION" });
    expect(error.message).toContain(told);
    expect(error.message).not.toContain("s3cr3t");
    expect(server.requests).toHaveLength(0);
  });

  it("that is another one at each reading, and never a good one, is sent a bounded number of times", async () => {
    const server = await platformFor(() => "svc_good");
    const { source, runs } = keyCommand('console.log("svc_" + Math.random())');
    const error = await rejection(clientOperations.getExport(clientFor(server.url, { apiKey: source })));
    expect(error).toMatchObject({ code: "DOCS_AUTHENTICATION" });
    expect([server.requests.length, runs()]).toEqual([3, 3]);
  });
});

describe("a key from a command", () => {
  it("is read once for all requests of a process, and once more for all of them after it has rotated", async () => {
    let accepted = "svc_first";
    const server = await platformFor(() => accepted);
    const { file, rotate } = keyFile("svc_first");
    const { source, runs } = keyCommand(
      `console.log(require("node:fs").readFileSync(${JSON.stringify(file)}, "utf8"))`,
    );
    const clients = [{}, { maxRetries: 1 }].map((other) => clientFor(server.url, { apiKey: source, ...other }));
    const askAll = () =>
      Promise.all(Array.from({ length: 20 }, (_, index) => clientOperations.getExport(clients[index % 2] as never)));
    await askAll();
    expect(runs()).toBe(1);
    accepted = "svc_second";
    rotate("svc_second");
    await askAll();
    await askAll();
    expect(runs()).toBe(2);
    expect(server.requests.length).toBeLessThanOrEqual(80);
  });

  it("that the platform does not accept any more is read again once, however many wait with it", async () => {
    const server = await platformFor(() => "svc_other");
    const { source, runs } = keyCommand('console.log("svc_s3cr3t")');
    const client = clientFor(server.url, { apiKey: source });
    for (let turn = 0; turn < 3; turn++) {
      const ends = await Promise.all([1, 2, 3].map(() => rejection(clientOperations.getExport(client))));
      expect(ends.every(({ message }) => message.includes("DOCS_AUTHENTICATION"))).toBe(true);
      expect(ends[0]?.message).toContain("the command in DOCS_PLATFORM_API_KEY_COMMAND print a valid key");
    }
    expect(runs()).toBe(2);
  });

  it.each([
    [
      "ends with another code than 0",
      'console.error("vault is sealed"); console.log("svc_s3cr3t"); process.exitCode = 3',
      /ended with the exit code 3: vault is sealed\.$/m,
    ],
    ["prints nothing", "", /the command prints no key/],
    [
      "prints something else",
      'console.log("{s3cr3t}")',
      /the command prints a value that is not a bearer token \(RFC 6750\)/,
    ],
    ["is killed", 'process.kill(process.pid, "SIGTERM"); setTimeout(() => {}, 9e3)', /was ended by the signal SIGTERM/],
    ["prints without end", 'process.stdout.write("s3cr3t".repeat(99999))', /printed more than 16 KiB/],
  ])("that %s is reported with what it says on its standard error only", async (_, script, told) => {
    const server = await platformFor(() => "svc_s3cr3t");
    const { source } = keyCommand(script);
    const error = await rejection(clientOperations.startExport(clientFor(server.url, { apiKey: source })));
    expect(error).toMatchObject({ code: "DOCS_CONFIGURATION" });
    expect(error.message).toMatch(told);
    expect(error.message).not.toContain("s3cr3t");
    expect(server.requests).toHaveLength(0);
  });

  it("is an error that names the program if the program is missing", async () => {
    const apiKey = { command: ["no-such-vault", "read"], from: "docs-platform:apiKeyCommand" };
    const error = await rejection(clientOperations.getExport(clientFor("http://127.0.0.1:9", { apiKey })));
    expect(error.message).toContain("there is no program no-such-vault (ENOENT)");
  });

  it("has 30 seconds, and is ended then", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const { source, runs } = keyCommand('console.log("svc_s3cr3t"); setTimeout(() => {}, 9e5)');
    const refused = rejection(readAdminApiKey(source, never));
    while (runs() === 0) {
      await new Promise(setImmediate);
    }
    vi.advanceTimersByTime(29_999);
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(1);
    const error = await refused;
    expect(error).toMatchObject({ code: "DOCS_CONFIGURATION" });
    expect(error.message).toContain("the command in DOCS_PLATFORM_API_KEY_COMMAND did not end within 30 seconds");
    expect(error.message).not.toContain("s3cr3t");
  });

  it("is waited for no longer than the run lasts", async () => {
    const { source } = keyCommand("setTimeout(() => {}, 3e3)");
    const controller = new AbortController();
    const asked = clientOperations.getExport(clientFor("http://127.0.0.1:9", { apiKey: source }), controller.signal);
    controller.abort(new Error("cancelled"));
    expect(await rejection(asked)).toMatchObject({ code: "DOCS_INTERRUPTED" });
  });
});

describe("the words of a command", () => {
  it.each([
    ["vault read -field=key docs", ["vault", "read", "-field=key", "docs"]],
    ["  a\t b\n", ["a", "b"]],
    [`'/opt/my tools/key' "" x`, ["/opt/my tools/key", "", "x"]],
    [`sh -c "vault read a | jq -r \\".key\\""`, ["sh", "-c", 'vault read a | jq -r ".key"']],
    ['"C:\\Program Files\\key.exe" C:\\a', ["C:\\Program Files\\key.exe", "C:\\a"]],
    ["echo $HOME;ls>x --a='b c'd", ["echo", "$HOME;ls>x", "--a=b cd"]],
  ])("%j", (text, words) => {
    expect(splitCommand(text)).toEqual(words);
  });

  it.each(["", " ", '"" a', 'a "b', "it's", 'a "b\\"'])("are none: %j", (text) => {
    expect(splitCommand(text)).toHaveProperty("problem");
  });
});
