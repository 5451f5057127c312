import { parseArgs } from "node:util";
import { asUnusableEntryError, readEntries, UnusableJournalError } from "../journal/journal";
import { openJournal } from "../journal/openJournal";
import { areProcessAndEngineRunning } from "../journal/ownerProcess";
import { CheckedSettings } from "../settings/settings";
import { journal as journalSetting } from "../settings/settingTable";
import { readPackageVersion } from "../support/packageFacts";
import { printable, printableLines } from "../support/printable";
import { systemClock } from "../support/time/clock";
import { formatOpenMetrics } from "./formatOpenMetrics";
import { formatStatusTable } from "./formatStatusTable";
import { type StackSnapshot, type StateReader, UnreadableStateError } from "./stackSnapshot";
import { makeStatusReport } from "./statusReport";

const flags = {
  cwd: { type: "string" },
  stack: { type: "string" },
  terraform: { type: "boolean" },
  json: { type: "boolean" },
  openmetrics: { type: "boolean" },
  help: { type: "boolean", short: "h" },
  version: { type: "boolean" },
} as const;

const exitCodes = { healthy: 0, unhealthy: 1, unreadable: 2 } as const;

/**
 * Sets the exit code: 0 if everything is healthy, 1 if something needs attention, 2 if the state or the journal cannot
 * be read.
 * @param readers the last reader is used for `--terraform`, otherwise the first one.
 */
export async function runStatusCommand(command: string, ...readers: [StateReader, ...StateReader[]]): Promise<void> {
  process.exitCode = await showStatus(command, readers);
}

async function showStatus(command: string, readers: readonly [StateReader, ...StateReader[]]): Promise<number> {
  try {
    const { values, positionals } = parseArgs({ options: flags, allowPositionals: true });
    if (values.help || values.version) {
      write(values.help ? helpOf(command) : `${readPackageVersion()}\n`);
      return exitCodes.healthy;
    }
    if (positionals.join() !== "status" || (values.openmetrics && values.json)) {
      throw new UnreadableStateError("the command is not known", usage(command));
    }
    const read = (values.terraform && readers.at(-1)) || readers[0];
    const state = await read({ folder: values.cwd ?? ".", stack: values.stack });
    const now = systemClock.now();
    const { entries, place } = await journalOf(state);
    const report = makeStatusReport(state, entries, now, place);
    write(
      values.json
        ? `${JSON.stringify(report, undefined, 2)}\n`
        : values.openmetrics
          ? formatOpenMetrics(report)
          : formatStatusTable(report, now),
    );
    return report.healthy ? exitCodes.healthy : exitCodes.unhealthy;
  } catch (error) {
    const remedy = error instanceof UnreadableStateError ? error.remedy : usage(command);
    const happened = String(error instanceof Error ? error.message : error);
    write(`${printable(happened)}\nWhat to do: ${printable(remedy)}\n`, process.stderr);
    return exitCodes.unreadable;
  }
}

/** All output passes through this function, because states, journals and errors may contain control characters. */
function write(text: string, stream: NodeJS.WritableStream = process.stdout): void {
  stream.write(printableLines(text));
}

function usage(command: string): string {
  return `${command} status [--cwd DIR] [--stack NAME] [--terraform] [--json | --openmetrics]`;
}

function helpOf(command: string): string {
  return `Usage: ${command} status [flags]

Shows what runs, what is due and what was interrupted. It changes nothing, and sends nothing to the
platform.

  --cwd DIR      the folder of the project or configuration; default: this folder
  --stack NAME   the stack, or Terraform's workspace; default: the one that is selected
  --terraform    reads the state of Terraform or OpenTofu
  --json         prints JSON
  --openmetrics  prints metrics for a textfile collector
  --version      prints the version

Exit codes: 0 healthy, 1 not healthy, 2 the state or the journal cannot be read.
`;
}

/** @throws UnreadableStateError if the journal cannot be read. */
async function journalOf({ journal: configured }: StackSnapshot) {
  const place = new CheckedSettings({ environment: process.env }).values.journal ?? configured;
  try {
    const journal = openJournal(place);
    const { found, unusable } = await readEntries(journal, await journal.list(""), systemClock.now());
    const [torn] = unusable;
    if (torn !== undefined) {
      throw asUnusableEntryError(torn.name, torn.why);
    }
    const entries = await Promise.all(
      found.map(async (entry) => ({ ...entry, isAtWork: await areProcessAndEngineRunning(entry.owner) })),
    );
    return { entries, place: journal.place };
  } catch (error) {
    throw new UnreadableStateError(
      `the journal${place === undefined ? "" : ` in ${place}`} cannot be read: ${error instanceof Error ? error.message : error}`,
      error instanceof UnusableJournalError
        ? error.remedy
        : `make it readable for this user, or name the journal that the runs use in ${journalSetting.variable}.`,
    );
  }
}
