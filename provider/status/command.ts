import { parseArgs } from "node:util";
import { readEntries } from "../journal/entries";
import { JournalPlaceError } from "../journal/journal";
import { openJournal } from "../journal/openJournal";
import { isAtWork } from "../journal/owner";
import { journal as journalSetting } from "../settings/settingTable";
import { readAlone } from "../settings/sources";
import { printable } from "../support/printable";
import { systemClock } from "../support/time/clock";
import { type HeldState, type StateReader, UnreadableError } from "./heldState";
import { judge } from "./judge";
import { openMetrics } from "./openMetrics";
import { statusTable } from "./table";

const flags = {
  cwd: { type: "string" },
  stack: { type: "string" },
  terraform: { type: "boolean" },
  json: { type: "boolean" },
  openmetrics: { type: "boolean" },
  history: { type: "boolean" },
} as const;

const exitCodes = { healthy: 0, unhealthy: 1, unreadable: 2 } as const;

/**
 * Shows what runs, what is due and what was interrupted, and sends nothing to the platform.
 * @param readers the first one is used without `--terraform`, the last one with it.
 * @returns the exit code: 0 healthy, 1 not, 2 unreadable.
 */
export async function statusCommand(
  args: readonly string[],
  command: string,
  readers: readonly [StateReader, ...StateReader[]],
): Promise<number> {
  try {
    const { values, positionals } = parseFlags(args);
    if (positionals.join() !== "status" || (values.openmetrics && (values.json || values.history))) {
      throw new UnreadableError("the command is not known", usage(command));
    }
    const reader = (values.terraform && readers.at(-1)) || readers[0];
    const options = { folder: values.cwd ?? ".", stack: values.stack };
    const state = await reader.read(options);
    if (values.history) {
      const { historyOf, historyTable } = await import("./history.js");
      const history = await historyOf(state, reader, options);
      process.stdout.write(values.json ? `${JSON.stringify(history, undefined, 2)}\n` : historyTable(history));
      return exitCodes.healthy;
    }
    const report = judge(state, await entriesOf(state), systemClock.now());
    const text = values.json
      ? `${JSON.stringify(report, undefined, 2)}\n`
      : values.openmetrics
        ? openMetrics(report)
        : statusTable(report, systemClock.now());
    process.stdout.write(text);
    return report.healthy ? exitCodes.healthy : exitCodes.unhealthy;
  } catch (error) {
    const remedy = error instanceof UnreadableError ? error.remedy : usage(command);
    process.stderr.write(
      `${printable(String(error instanceof Error ? error.message : error))}\nWhat to do: ${remedy}\n`,
    );
    return exitCodes.unreadable;
  }
}

function parseFlags(args: readonly string[]) {
  return parseArgs({ args: [...args], options: flags, allowPositionals: true });
}

function usage(command: string): string {
  return `${command} status [--cwd DIR] [--stack NAME] [--terraform] [--history] [--json | --openmetrics]`;
}

/** @throws UnreadableError */
async function entriesOf({ journal: configured }: HeldState) {
  const place = readAlone(journalSetting, { environment: process.env }) ?? configured;
  try {
    const journal = openJournal(place);
    const entries = await readEntries(journal, await journal.list(""), systemClock.now());
    return await Promise.all(entries.map(async (entry) => ({ ...entry, isAtWork: await isAtWork(entry.owner) })));
  } catch (error) {
    throw new UnreadableError(
      `the journal${place === undefined ? "" : ` in ${place}`} cannot be read: ${error instanceof Error ? error.message : error}`,
      error instanceof JournalPlaceError
        ? error.remedy
        : `make it readable for this user, or name the journal that the runs use in ${journalSetting.variable}.`,
    );
  }
}
