import { ConfigurationError } from "../support/errors";
import { readFile } from "../support/fileSystem";
import { printable } from "../support/printable";
import { registerKeyAndParts } from "../support/redact";
import { runExternalProgram } from "../support/runExternalProgram";
import { timeLimits } from "../support/time/timeLimits";
import { words } from "../support/words";
import type { KeyFromFileOrCommand } from "./apiKeySource";
import { explainUnreadableFile } from "./pemFile";

/** The largest output of a command, in bytes. */
const longestOutput = 16 * 1024;
/** The longest part of a command's error text that a message quotes, in characters. */
const longestComplaint = 500;

/** @throws ConfigurationError that shows the standard error of a command, and never its standard output. */
export async function readKeyFileOrCommand(
  name: string,
  source: KeyFromFileOrCommand,
  problemOf: (text: string) => string | undefined,
  signal: AbortSignal,
): Promise<string> {
  const remedy =
    "file" in source
      ? `put the key, and nothing else, into the file ${source.file}, then run \`${words.run}\` again.`
      : `run the command by hand to find the problem, then run \`${words.run}\` again.`;
  const unread = (why: string) => new ConfigurationError([`the ${name} cannot be read${why}`], remedy);
  const text = (
    "file" in source ? await readKeyFile(source, unread) : await runKeyCommand(source, unread, signal)
  ).trim();
  const problem = text === "" ? "no key" : problemOf(text);
  if (problem !== undefined) {
    const where = "file" in source ? `the file ${source.file} contains` : "the command prints";
    throw unread(` from ${source.from}: ${where} ${text === "" ? problem : `a value that ${problem}`}`);
  }
  return text;
}

type Unread = (why: string) => ConfigurationError;

function readKeyFile({ file, from }: KeyFromFileOrCommand & { file: string }, unread: Unread): Promise<string> {
  return readFile(file, "utf8").catch((error: unknown) => {
    throw unread(` from ${from}, which ${explainUnreadableFile(file, error)}`);
  });
}

async function runKeyCommand(
  { command, from }: KeyFromFileOrCommand & { command: readonly string[] },
  unread: Unread,
  signal: AbortSignal,
): Promise<string> {
  const options = { limit: timeLimits.command, maxOutput: longestOutput, signal };
  const { stdout, stderr, problem } = await runExternalProgram(command, options);
  if (problem === undefined) {
    return stdout;
  }
  // A failed command may have printed the key, and its error text may repeat the key. A registered key is removed from
  // all messages.
  registerKeyAndParts(stdout.trim());
  const said = printable(stderr.trim(), longestComplaint, "end");
  throw unread(`: the command in ${from} ${problem}${said === "" ? "" : `: ${said}`}`);
}
