import type { ChildProcess } from "node:child_process";

/** What a process has written so far. */
export interface Written {
  stdout: string;
  stderr: string;
  /** Standard output and standard error as they came. */
  output: string;
}

/** Collects what a process writes, as far as its streams are not led elsewhere. */
export function collectOutput(child: ChildProcess): Written {
  const written: Written = { stdout: "", stderr: "", output: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name]?.setEncoding("utf8").on("data", (chunk: string) => {
      written[name] += chunk;
      written.output += chunk;
    });
  }
  return written;
}
