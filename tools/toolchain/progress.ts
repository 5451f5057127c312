const clearLine = "\r\u001b[2K";

/** Writes one line for the user on standard error: standard output belongs to the result. */
export function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** Elapsed time as a person reads it: "9s", "1m15s", "1h02m". */
export function elapsed(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1000);
  if (seconds < 60) {
    return `${seconds}s`;
  }
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) {
    return `${minutes}m${String(seconds % 60).padStart(2, "0")}s`;
  }
  return `${Math.floor(minutes / 60)}h${String(minutes % 60).padStart(2, "0")}m`;
}

/** A line that fits a terminal of this width: a longer one would wrap, and could not be redrawn. The time stays. */
export function progressLine(what: string, time: string, columns: number): string {
  const room = columns - time.length - 3;
  return `${what.length > room ? `${what.slice(0, Math.max(room - 1, 0))}…` : what}: ${time}`;
}

/**
 * Shows what is being done, with the elapsed time, while `work` runs: on a terminal one line that is redrawn each
 * second, else a line each 15 s. What is done before `quietFor` milliseconds have passed shows nothing.
 */
export async function withProgress<T>(what: string, quietFor: number, work: () => Promise<T>): Promise<T> {
  const started = Date.now();
  const terminal = process.stderr.isTTY === true;
  let timer: NodeJS.Timeout | undefined;
  const draw = () => {
    const time = elapsed(Date.now() - started);
    if (terminal) {
      process.stderr.write(`${clearLine}${progressLine(what, time, process.stderr.columns || 80)}`);
    } else {
      say(`${what}: ${time}`);
    }
    timer = setTimeout(draw, terminal ? 1_000 : 15_000);
  };
  if (quietFor === 0) {
    draw();
  } else {
    timer = setTimeout(draw, quietFor);
  }
  try {
    return await work();
  } finally {
    clearTimeout(timer);
    if (terminal) {
      process.stderr.write(clearLine);
    }
  }
}
