import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { readAdminApiKey } from "../../../../provider/platform/apiKeys";
import { StackStateReader } from "../../../../provider/pulumiEngine/stackState";
import { findRegistryCredentials } from "../../../../provider/storage/oci/credentials";
import { readOsProcessInfo } from "../../../../provider/support/processes";
import { timeLimits } from "../../../../provider/support/time/timeLimits";
import { projectRoot } from "../../../../tools/projectRoot";
import { campaign } from "../../../support/campaign";
import { never } from "../../../support/clientUnderTest";
import { configureDocker } from "../../../support/mirror/configureDocker";
import { temporaryFolder } from "../../../support/temporaryFolder";

const { command, stackExport } = timeLimits;
const limit = 400;
beforeEach(() => void Object.assign(timeLimits, { command: limit, stackExport: limit }));
afterEach(() => {
  Object.assign(timeLimits, { command, stackExport });
  vi.unstubAllEnvs();
});

/** A command that sleeps much longer than the time limit, so that no process ends by itself. */
const long = "exec sleep 60";
const endless = "while :; do echo spam; done";

/** The possible work of a process after it has recorded its id. */
const works = [
  long,
  `trap '' TERM HUP INT; sleep 60; sleep 60`,
  endless,
  `${endless} >&2`,
  `exec >/dev/null 2>&1; ${long}`,
];
const ends = ["echo plain-key", "exit 0", "exit 3", "kill -9 $$", "kill -TERM $$; sleep 60", ...works];

/** If `isLeft` is true, the shell that starts the child ends at once, so the child loses its parent. */
interface Tree {
  work: string;
  children: { tree: Tree; isLeft: boolean }[];
}

const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.record({
    work: fc.constantFrom(...ends),
    children: fc.array(fc.record({ tree: tie("tree"), isLeft: fc.boolean() }), {
      maxLength: 2,
    }),
  }),
}));

function scriptOf({ work, children }: Tree, folder: string): string {
  const starts = children.map(({ tree: child, isLeft }) => {
    const run = `sh ${writeScript(scriptOf(child, folder), folder)}`;
    return isLeft ? `(${run} &)` : `${run} &`;
  });
  return [`echo $$ >> ${folder}/pids`, ...starts, work].join("\n");
}

let scripts = 0;

function writeScript(script: string, folder: string, name = `script-${++scripts}`): string {
  const file = join(folder, name);
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
  return file;
}

const callers: Record<string, (script: string, folder: string) => Promise<unknown>> = {
  apiKeyCommand: (script, folder) =>
    readAdminApiKey({ command: [writeScript(script, folder)], from: "the test" }, never),
  "a credential helper": (script, folder) => {
    writeScript(script, folder, "docker-credential-tree");
    vi.stubEnv("PATH", `${folder}:${process.env.PATH}`);
    configureDocker({ credsStore: "tree" });
    return findRegistryCredentials({ registry: "registry.test", repository: "docs" }, never);
  },
  "the export of a stack": (script, folder) => {
    writeScript(script, folder, "pulumi");
    vi.stubEnv("PATH", `${folder}:${process.env.PATH}`);
    return new StackStateReader().replaced("urn:pulumi:dev::p::t::n");
  },
};

/** Returns the ids of the whole lines. A shell creates the file before it writes the first line. */
function pidsIn(folder: string): number[] {
  const text = existsSync(join(folder, "pids")) ? readFileSync(join(folder, "pids"), "utf8") : "";
  return text.split("\n").slice(0, -1).map(Number);
}

const isGone = (pid: number) => readOsProcessInfo(pid)?.hasEnded ?? true;

it.runIf(process.platform === "linux")(
  "a program that this provider runs is gone by its limit, with all that it has started, and its result is there",
  async () => {
    const programs = campaign ? 300 : 15;
    let processes = 0;
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...Object.keys(callers)), tree, async (caller, drawn) => {
        const folder = temporaryFolder();
        const run = callers[caller] as (typeof callers)[string];
        const settled = run(scriptOf(drawn, folder), folder).catch(() => {});
        const inTime = await Promise.race([settled.then(() => true), new Promise((end) => setTimeout(end, 5_000))]);
        const pids = pidsIn(folder);
        try {
          expect(inTime).toBe(true);
          await expect.poll(() => pids.filter((pid) => !isGone(pid))).toEqual([]);
          processes += pids.length;
        } finally {
          for (const pid of pidsIn(folder).filter((each) => !isGone(each))) {
            process.kill(pid, "SIGKILL");
          }
        }
      }),
      { numRuns: programs, seed: 4110 },
    );
    expect(processes).toBeGreaterThan(1.5 * programs);
  },
  600_000,
);

it("a key is taken at once where a process that is left behind keeps the pipe open", async () => {
  const folder = temporaryFolder();
  // Shorter than the life of the process that is left behind.
  Object.assign(timeLimits, { command: 30_000 });
  const left = `echo $$ >> ${folder}/pids\n${long}`;
  const begun = `while [ ! -s ${folder}/pids ]; do sleep 0.01; done`;
  const script = `(sh ${writeScript(left, folder)} &)\n${begun}\necho plain-key`;
  expect(await callers.apiKeyCommand?.(script, folder)).toBe("plain-key");
  const [pid = 0] = pidsIn(folder);
  await expect.poll(() => isGone(pid)).toBe(true);
});

it("an interrupted run ends its command", async () => {
  const folder = temporaryFolder();
  const controller = new AbortController();
  const source = { command: [writeScript(`echo $$ >> ${folder}/pids\n${long}`, folder)], from: "the test" };
  Object.assign(timeLimits, { command: 60_000 });
  const read = readAdminApiKey(source, controller.signal).catch((error: Error) => error.message);
  await expect.poll(() => pidsIn(folder).length).toBe(1);
  controller.abort();
  expect(await read).toContain("was interrupted");
  expect(pidsIn(folder).every(isGone)).toBe(true);
});

it.runIf(process.platform === "linux").each(["SIGINT", "SIGTERM", "SIGHUP"])(
  "a %s that comes while this process still starts the command ends both",
  async (signal) => {
    const folder = temporaryFolder();
    const script = writeScript(`echo $$ >> ${folder}/pids\nkill -s ${signal.slice(3)} $PPID\n${long}`, folder);
    // This program simulates a busy machine: the command runs before its parent continues.
    const program = `
      const processes = require("node:child_process");
      const { spawn } = processes;
      processes.spawn = (...given) => {
        const child = spawn(...given);
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
        return child;
      };
      const { runExternalProgram } = require(${JSON.stringify(join(projectRoot, "provider", "support", "runExternalProgram.ts"))});
      runExternalProgram([${JSON.stringify(script)}], { limit: 60_000, maxOutput: 1_000 });
    `;
    const provider = spawn(process.execPath, ["--require", "tsx/cjs", "-e", program], { cwd: projectRoot });
    const [, by] = await once(provider, "exit");
    expect(by).toBe(signal);
    const [command = 0] = pidsIn(folder);
    try {
      await expect.poll(() => isGone(command)).toBe(true);
    } finally {
      if (!isGone(command)) {
        process.kill(command, "SIGKILL");
      }
    }
  },
);
