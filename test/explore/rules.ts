import { errorCodesIn } from "./errorCodesIn";
import type { Machine } from "./machine";
import type { ModelPlatform } from "./platform";
import type { ModelStore } from "./store";

/** Facts about a story's runs that the models do not contain. Each host's story adds its own facts. */
export class Ledger {
  /** The number of jobs and messages that the user has asked for. */
  asked = 0;
  /** The ids of jobs and messages that any state has contained, and the last part of each entry's name in a state. */
  readonly everSaved = new Set<string>();
  /** The jobs that a user has found on the platform and adopted. */
  readonly adopted = new Set<string>();
  readonly texts: string[] = [];
  readonly problems = new Set<string>();
}

interface Models {
  machine: Machine;
  platform: ModelPlatform;
  store: ModelStore;
}

/**
 * Checks the rules about starts after a run.
 * @param savedJobs the job of each resource. Two resources may share a job only after a warning (`isAnnounced`).
 * @param isIdle false if a provider process works without its engine. That process may still record a job, so no job
 * counts as lost.
 */
export function checkStarts(
  { platform, store }: Models,
  { asked, everSaved, texts, problems }: Ledger,
  savedJobs: readonly { name: string; id: string; isAnnounced: boolean }[],
  isIdle: boolean,
): void {
  const started = [...platform.jobs, ...platform.messages].length;
  const allowed = asked + platform.lost();
  if (started > allowed) {
    problems.add(`DOUBLE: ${started} starts, ${allowed} asked for`);
  }
  for (const [index, { name, id, isAnnounced }] of savedJobs.entries()) {
    const other = savedJobs.slice(0, index).find((one) => one.id === id);
    if (other !== undefined && !isAnnounced) {
      problems.add(`SHARED: ${id} is that of ${other.name}, and of ${name}, too`);
    }
  }
  if (store.everPut.some((text) => /svc_|a\.test|urn:|docsplatform/.test(text))) {
    problems.add("SECRET: an entry holds a key, a domain or an address");
  }
  const journal = [...store.texts.values()].join();
  // Two kinds of jobs may be unrecorded: jobs that have failed or are gone, and jobs whose start got no answer.
  const answered = [...platform.jobs.filter((job) => !platform.isLost(job)), ...platform.messages];
  for (const { id, key } of isIdle ? answered.filter(({ isAnswered }) => isAnswered) : []) {
    const isKnown =
      [id, key].some((one) => everSaved.has(one)) ||
      // A job with an incomplete entry is not lost: the next start fails, and the error names the entry.
      [...store.texts.keys()].some((name) => name.endsWith(key.slice(-12))) ||
      // If the answer was not recorded, the journal contains only the start's key.
      [`"${id}"`, key].some((one) => journal.includes(one)) ||
      [id, ...store.idsOf(key)].some((one) => texts.some((text) => text.includes(one))) ||
      // If the provider does not know whether a message was sent, it saves the message as sent, with an invented id.
      // The error DOCS_AMBIGUOUS_START informs the user.
      (id.startsWith("message") && texts.some((text) => errorCodesIn(text).includes("DOCS_AMBIGUOUS_START")));
    if (!isKnown) {
      problems.add(`LOST: ${id} is in no state, in no journal, and in no text`);
    }
  }
}
