import type { Machine } from "./machine";
import type { ModelPlatform } from "./platform";
import type { ModelStore } from "./store";
import { codesIn } from "./told";

/**
 * Facts about the runs of a story that the models do not contain. Pulumi's story and Terraform's story extend this
 * class with their own facts.
 */
export class Ledger {
  /** The number of jobs and messages that the user has asked for. */
  asked = 0;
  /**
   * Every id that was ever in a state. The set also contains the last part of each journal entry's name that was ever
   * in a state.
   */
  readonly everSaved = new Set<string>();
  /** The jobs that a user has found on the platform and adopted. */
  readonly adopted = new Set<string>();
  /** All texts that the user saw. */
  readonly texts: string[] = [];
  /** The rules that were broken, each with the details. */
  readonly problems = new Set<string>();
}

interface Models {
  machine: Machine;
  platform: ModelPlatform;
  store: ModelStore;
}

/**
 * Checks the rules about starts after a run.
 * @param held the job of each resource. Two resources may have the same job only if a warning has told the user
 * (`isTold`).
 * @param isAtRest false if a provider process works although its engine has ended. Then no job counts as lost, because
 * the process may still record it.
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
  // The journal need not contain failed jobs, or jobs whose answer has reached no process.
  const answered = [...platform.jobs.filter((job) => !platform.isLost(job)), ...platform.messages];
  for (const { id, key } of isAtRest ? answered.filter(({ isAnswered }) => isAnswered) : []) {
    const isKnown =
      [id, key].some((one) => everSaved.has(one)) ||
      // A job with an incomplete entry is not lost: the entry stops the next start, and the error names the entry.
      [...store.texts.keys()].some((name) => name.endsWith(key.slice(-12))) ||
      // If the answer was not recorded, the journal contains only the key of the start.
      [`"${id}"`, key].some((one) => journal.includes(one)) ||
      [id, ...store.idsOf(key)].some((one) => texts.some((text) => text.includes(one))) ||
      // If the provider cannot know whether a message was sent, it saves the message as sent, with an invented id. So
      // the state does not contain the real id, but the error DOCS_AMBIGUOUS_START has informed the user.
      (id.startsWith("message") && texts.some((text) => codesIn(text).includes("DOCS_AMBIGUOUS_START")));
    if (!isKnown) {
      problems.add(`LOST: ${id} is in no state, in no journal, and in no text`);
    }
  }
}
