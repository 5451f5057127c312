import { asUnusableEntryError, type UnusableEntry, UnusableJournalError } from "../journal/journal";
import type { OwnerProcess } from "../journal/ownerProcess";
import { journal as journalSetting } from "../settings/settingTable";
import { AmbiguousStartError, DocsPlatformError, JournalError } from "../support/errors";
import { formatIsoTime } from "../support/time/duration";
import { words } from "../support/words";

/** @param removal names the journal files that the user must remove if the request had no effect. */
export function lostAnswerError(
  sender: "an earlier run" | "this run",
  intendedAt: number,
  removal: string | undefined,
): AmbiguousStartError {
  const time = formatIsoTime(intendedAt);
  return new AmbiguousStartError({
    happened:
      sender === "this run"
        ? `this run sent the same request at ${time} and lost the answer. It is not known if the request took effect, so it is not sent again`
        : `an earlier run sent the same request at ${time} and ended before the answer came. It is not known if the request took effect. This run sent nothing`,
    remedy: `check on the platform if it took effect; if it did not, ${removal === undefined ? "" : `${removal}, then `}run \`${words.run}\` again.`,
  });
}

export function startInProgressError({ pid }: OwnerProcess): JournalError {
  return new JournalError({
    happened: `another run (process ${pid}) is sending the same request for a resource of this name; this run sent nothing`,
    remedy: `wait until that run ends, then run again. If the two resources only have the same name, give each run its own journal (${journalSetting.variable}).`,
  });
}

/** An entry that cannot be read may describe a start that is still running. */
export function unusableEntryError({ name, why }: UnusableEntry, place: string): JournalError {
  return new JournalError({
    happened: `an earlier run recorded the same request, and ${asUnusableEntryError(name, why).message}; this run sent nothing`,
    remedy:
      why instanceof UnusableJournalError
        ? why.remedy
        : `check on the platform if it took effect; if it did not, remove ${name}.json from the journal in ${place}, then run \`${words.run}\` again.`,
  });
}

export function unusableJournalError(what: "read" | "written", place: string, why: unknown): DocsPlatformError {
  return why instanceof DocsPlatformError
    ? why
    : new JournalError({
        happened: `the journal in ${place} cannot be ${what}: ${reasonOf(why)}; nothing was sent`,
        remedy: remedyOf(why),
      });
}

/** @param unknown the text after "the next run does not know", with a leading blank. */
export function unusableJournalWarning(place: string, why: unknown, unknown: string): string {
  return `the journal in ${place} cannot be used (${reasonOf(why)}): if this run is killed or loses an answer, the next run does not know${unknown}, and may start it again. What to do: ${remedyOf(why)}`;
}

const lostJournalIn = (place: string) =>
  `an earlier run was cut off while it created this resource, and the journal in ${place} is new on this machine: a job of that run may continue`;
const lostJournalRemedy = `look for it on the platform, and adopt it. To let all machines see one journal, name a bucket in ${journalSetting.variable}.`;

export function journalDisappearedWarning(place: string): string {
  return `${lostJournalIn(place)}, beside the one that this run starts. What to do: ${lostJournalRemedy}`;
}

export function journalDisappearedError(place: string): JournalError {
  return new JournalError({
    isLost: true,
    happened: `${lostJournalIn(place)}; this run sent nothing`,
    remedy: `${lostJournalRemedy} If there is none, run \`pulumi refresh --clear-pending-creates\`, and then \`${words.run}\`.`,
  });
}

function reasonOf(why: unknown): string {
  return why instanceof Error ? why.message : String(why);
}

function remedyOf(why: unknown): string {
  return why instanceof UnusableJournalError
    ? why.remedy
    : `make it readable and writable for this run, or set another place in ${journalSetting.variable}.`;
}
