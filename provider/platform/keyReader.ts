import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import type { ApiKeySource } from "../settings/apiKeySource";
import { unreadable } from "../settings/pemFile";
import { apiKey } from "../settings/settingTable";
import { settingProblem } from "../settings/sources";
import { ConfigurationError } from "../support/errors";
import { printable } from "../support/printable";
import { hideKey } from "../support/redact";
import { timeLimits } from "../support/time/timeLimits";
import { words } from "../support/words";

/** The limits of what a command prints, and of the quoted error text; characters. */
const longestOutput = 64 * 1024;
const longestComplaint = 500;

/** A file, or a command, from which the key can be read again. */
export type RereadSource = Exclude<ApiKeySource, string>;

/**
 * Reads the key from its file or command.
 * @throws ConfigurationError that shows the standard error of a command, and never its standard output.
 */
export async function readKey(source: RereadSource): Promise<string> {
  const text = ("file" in source ? await readKeyFile(source) : await runKeyCommand(source)).trim();
  const problem = text === "" ? "no key" : settingProblem(apiKey, text);
  if (problem !== undefined) {
    const where = "file" in source ? `the file ${source.file} contains` : "the command prints";
    throw unread(` from ${source.from}: ${where} ${text === "" ? problem : `a value that ${problem}`}`, source);
  }
  return text;
}

async function readKeyFile({ file, from }: RereadSource & { file: string }): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    throw unread(` from ${from}, which ${unreadable(file, error)}`, { file, from });
  }
}

function runKeyCommand({ command, from }: RereadSource & { command: readonly string[] }): Promise<string> {
  const [program = "", ...args] = command;
  return new Promise((resolve, reject) => {
    const options = { killSignal: "SIGKILL", maxBuffer: longestOutput, windowsHide: true } as const;
    const child = execFile(program, args, options, (error, stdout, stderr) => {
      clearTimeout(limit);
      process.off("exit", end);
      if (error === null) {
        resolve(stdout);
        return;
      }
      // A command that fails may have printed the key before, and may repeat it in its error text.
      hideKey(stdout.trim());
      const said = printable(stderr.trim().slice(-longestComplaint), longestComplaint);
      const ending = `${howItEnded(error, program)}${said === "" ? "" : `: ${said}`}`;
      reject(unread(`: the command in ${from} ${ending}`, { command, from }));
    });
    const end = () => child.kill("SIGKILL");
    const limit = setTimeout(end, timeLimits.command);
    process.once("exit", end);
    // A program that asks a person for input reads the end of the input at once.
    child.stdin?.end();
  });
}

function unread(why: string, source: RereadSource): ConfigurationError {
  const remedy =
    "file" in source
      ? `put the key, and nothing else, into the file ${source.file}, then run \`${words.run}\` again.`
      : `run the command by hand to find the problem, then run \`${words.run}\` again.`;
  return new ConfigurationError([`the admin API key cannot be read${why}`], remedy);
}

function howItEnded(error: Error & { code?: unknown; killed?: boolean; signal?: unknown }, program: string): string {
  if (error.code === "ENOENT" || error.code === "EACCES") {
    return `cannot be started: there is no program ${program} (${error.code})`;
  }
  if (error.code === "ERR_CHILD_PROCESS_STDIO_MAXBUFFER") {
    return "printed too much text for a key";
  }
  if (error.killed) {
    return `did not end within ${timeLimits.command / 1_000} seconds`;
  }
  return error.signal ? `was ended by the signal ${error.signal}` : `ended with the exit code ${error.code}`;
}
