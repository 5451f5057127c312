import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { processesWithEnvironment, readProc } from "../../test/support/osProcesses";
import { seededRandom } from "../../test/support/random";
import { projectRoot } from "../../tools/projectRoot";

/** All processes of the tests inherit this variable, also those that lose their parent. */
const mark = "DOCS_PLATFORM_TEST_STALLS";

/** The test runner and shells go on: the first would stop the tests' own clocks, and the second have nothing to do. */
const spared = /^(npm|bash|sh|sleep|cat|tee)\b|vitest|tools\/test\/|lab\/stalls|esbuild/;

/** In seconds. A wait of three seconds, which many tests have, passes while a process stands still. */
const stall = { shortest: 3.5, longest: 5 };
const pause = { shortest: 1.5, longest: 4.5 };

/**
 * Runs `npm test` while one process after another stands still, as on a machine with too little CPU time. Linux only.
 * Arguments after the options name tests.
 */
async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: { seed: { type: "string", default: "1" } },
    allowPositionals: true,
  });
  const { next, whole } = seededRandom(Number(values.seed));
  const within = ({ shortest, longest }: typeof stall) => 1_000 * (shortest + next() * (longest - shortest));
  const run = randomUUID();
  const tests = spawn("npm", ["test", "--", ...positionals], {
    cwd: projectRoot,
    env: { ...process.env, [mark]: run },
    stdio: "inherit",
  });
  const ended = once(tests, "exit");
  // Ctrl-C also reaches the tests. This process ends after them, so that no process stays stopped.
  process.on("SIGINT", () => {});
  let count = 0;
  while (isRunning(tests)) {
    await Promise.race([ended, sleep(within(pause))]);
    const processes = processesOf(run);
    const [pid, command] = processes[whole(0, processes.length - 1)] ?? [];
    if (pid !== undefined && send(pid, "SIGSTOP")) {
      count++;
      const time = within(stall);
      console.error(`stall ${count}: ${(time / 1_000).toFixed(1)} s of ${command?.slice(0, 100)}`);
      await sleep(time);
      send(pid, "SIGCONT");
    }
  }
  console.log(`${count} processes stood still`);
  process.exitCode = tests.exitCode ?? 1;
}

const isRunning = ({ exitCode, signalCode }: ChildProcess) => exitCode === null && signalCode === null;

function processesOf(run: string): [pid: number, command: string][] {
  return processesWithEnvironment(`${mark}=${run}`)
    .map((pid): [number, string] => [pid, readProc(pid, "cmdline").replaceAll("\0", " ")])
    .filter(([, command]) => command !== "" && !spared.test(command));
}

/** Returns false if the process has ended. */
function send(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
