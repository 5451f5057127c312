import { Worker } from "node:worker_threads";

/** A thread, since the process itself cannot act while it is blocked. It counts its own ticks: a machine may sleep. */
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
 * Ends this process, and names the file, when the file's tests block it: neither vitest nor a time limit of a test can do that.
 * @param seconds the longest time for which the event loop may stand still.
 * @returns a function that says which file runs now.
 */
export function watchBlocking(seconds: number): (file: string) => void {
  const beats = new Int32Array(new SharedArrayBuffer(4));
  const thread = new Worker(watcher, { eval: true, workerData: { beats, seconds } });
  thread.unref();
  setInterval(() => Atomics.add(beats, 0, 1), 1_000).unref();
  return (file) => thread.postMessage(file);
}
