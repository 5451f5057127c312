import { Worker } from "node:worker_threads";

/**
 * The code of a second thread, which ends the process if the main thread is blocked. It counts its own ticks and does
 * not read the clock: after a sleep of the machine, the clock would show a long block.
 */
const watcher = `
  const { writeSync } = require("node:fs");
  const { workerData: { beats, seconds }, parentPort } = require("node:worker_threads");
  let [file, seen, ticks] = ["", 0, 0];
  parentPort.on("message", (name) => { file = name; });
  setInterval(() => {
    const beat = Atomics.load(beats, 0);
    ticks = beat === seen ? ticks + 1 : 0;
    seen = beat;
    if (ticks > seconds) {
      writeSync(2, \`\\n\${file} has blocked its process for \${seconds} s: the process is ended\\n\`);
      process.kill(process.pid, "SIGKILL");
    }
  }, 1_000);
`;

/**
 * Neither vitest nor a test's time limit can end a blocked test. So a thread ends this process, and prints the name of
 * the test file.
 * @param seconds the longest time for which the event loop may stand still.
 * @returns a function that the caller calls with the name of the current test file.
 */
export function watchBlocking(seconds: number): (file: string) => void {
  const beats = new Int32Array(new SharedArrayBuffer(4));
  const thread = new Worker(watcher, { eval: true, workerData: { beats, seconds } });
  thread.unref();
  setInterval(() => Atomics.add(beats, 0, 1), 1_000).unref();
  return (file) => thread.postMessage(file);
}
