import type { Machine } from "./machine";
import type { ModelPlatform } from "./platform";
import type { ModelStore } from "./store";
import { codesIn } from "./told";

/** For every engine: the facts about the runs of a story that the models do not contain. */
export class Ledger {
  /** The number of jobs and messages that were asked for. */
  asked = 0;
  /** Every id that a state has had, and the last part of the name of every journal entry that a state has named. */
  readonly everSaved = new Set<string>();
  /** The jobs that a person has found on the platform and given to a resource. */
  readonly adopted = new Set<string>();
  /** All texts that a person was shown. */
  readonly texts: string[] = [];
  /** The rules that were broken. */
  readonly problems = new Set<string>();
}

interface Models {
  machine: Machine;
  platform: ModelPlatform;
  store: ModelStore;
}

/**
 * Checks the rules about starts after each run.
 * @param held the job of each resource. Two resources may have the same job only after a warning.
 * @param isAtRest false if a process still works although its engine has ended: it may save more.
 */
export function checkStarts(
  { platform, store }: Models,
  { asked, everSaved, texts, problems }: Ledger,
  held: readonly { name: string; id: string; isTold: boolean }[],
  isAtRest: boolean,
): void {
  const started = [...platform.jobs, ...platform.messages].length;
  const allowed = asked + platform.lost();
  if (started > allowed) {
    problems.add(`DOUBLE: ${started} starts, ${allowed} asked for`);
  }
  for (const [index, { name, id, isTold }] of held.entries()) {
    const other = held.slice(0, index).find((one) => one.id === id);
    if (other !== undefined && !isTold) {
      problems.add(`SHARED: ${id} is that of ${other.name}, and of ${name}, too`);
    }
  }
  if (store.everPut.some((text) => /svc_|a\.test|urn:|docsplatform/.test(text))) {
    problems.add("SECRET: an entry holds a key, a domain or an address");
  }
  const journal = [...store.texts.values()].join();
  // A failed job may be missing. So may a job with an answer that no process has received.
  const answered = [...platform.jobs.filter((job) => !platform.isLost(job)), ...platform.messages];
  for (const { id, key } of isAtRest ? answered.filter(({ isAnswered }) => isAnswered) : []) {
    const isKnown =
      [id, key].some((one) => everSaved.has(one)) ||
      // A torn entry stops the next start, which names it.
      [...store.texts.keys()].some((name) => name.endsWith(key.slice(-12))) ||
      // If the answer was never recorded, the journal has only the intent.
      [`"${id}"`, key].some((one) => journal.includes(one)) ||
      [id, ...store.idsOf(key)].some((one) => texts.some((text) => text.includes(one))) ||
      // If it is unknown whether a message was sent, the state keeps it as a sent message, with a made-up id.
      (id.startsWith("message") && texts.some((text) => codesIn(text).includes("DOCS_AMBIGUOUS_START")));
    if (!isKnown) {
      problems.add(`LOST: ${id} is in no state, in no journal, and in no text`);
    }
  }
}
