import type { RawValues } from "../definitions/values";
import type { WriteOutcome } from "../resources/lifecycle";
import type { Resource } from "../resources/resource";
import { asDocsPlatformError, ConfigurationError, type ErrorConsequenceTexts, JournalError } from "../support/errors";
import { words } from "../support/words";
import { removeEntryOfSavedJob } from "./entryCleanup";
import { type Creation, createOperationContext, type ExistingResourceOperation, type Update } from "./operation";
import { findConfigurationProblems } from "./processSettings";
import { addProgramValuesAfterImport } from "./read";
import type { Session } from "./session";

export interface CreateResult extends WriteOutcome {
  /** False if the host must save nothing. The next run then creates the resource again. */
  isSaved: boolean;
  /** True if the problem is only a warning: the next run continues with the created job. */
  isWarning: boolean;
}

/**
 * Decides what the host does with the outcome of a create. Some hosts replace a resource whose create has failed, and
 * so lose its running job. For such a host, a wait that ends early gives only a warning, and a failed job or message is
 * not saved. A failed mirror is always saved, because a later run must delete its files.
 */
function applied({ starts }: Resource, outcome: WriteOutcome, { replacesFailed }: Session): CreateResult {
  const { problem, goesOn = false } = outcome;
  const isEnd = problem !== undefined && !goesOn;
  return { ...outcome, isSaved: !(replacesFailed && isEnd && starts), isWarning: replacesFailed && goesOn };
}

/** @throws if nothing was created. */
export async function create(definition: Resource, operation: Creation, session: Session): Promise<CreateResult> {
  const { inputs, replaced, after } = operation;
  const { context, starts } = createOperationContext(operation, session, after);
  try {
    const outcome = await definition.create(inputs, context, replaced);
    session.made.add(outcome.id);
    if (session.asksState) {
      session.atTheEnd(() => Promise.all(starts.map((start) => start.handOver())));
    }
    return applied(definition, outcome, session);
  } finally {
    // The create has ended, so the process no longer waits for answers to its starts.
    for (const start of starts) {
      session.answered(start);
    }
  }
}

/** @throws if the update fails before it has changed anything. The host then keeps the old state. */
export async function update(definition: Resource, operation: Update, session: Session): Promise<WriteOutcome> {
  const { id, inputs, settings } = operation;
  const state = addProgramValuesAfterImport(definition, operation.state, inputs);
  const { context } = createOperationContext(operation, session);
  await removeEntryOfSavedJob(session, settings, state);
  return definition.update(id, state, inputs, context);
}

/** For a host that calls create instead of update: continues the wait for the job of an existing resource. */
export function continueJobWait(definition: Resource, operation: Update, session: Session): Promise<WriteOutcome> {
  const { id, state } = operation;
  return update(definition, operation, session).catch((error: unknown) => {
    return { id, state, problem: asDocsPlatformError(error), goesOn: true };
  });
}

/** @throws before the deletion, if a setting or the key would make the create of the replacement fail. */
export async function checkReplacementCanBeCreated(
  { kept }: Resource,
  { id, settings }: ExistingResourceOperation,
  { runtime, signal }: Session,
): Promise<void> {
  try {
    const problems = findConfigurationProblems(settings);
    if (problems.length > 0) {
      throw new ConfigurationError(problems);
    }
    const { apiKey } = settings.need("requests");
    const { getSharedApiKeyReader } = await import("../platform/apiKeys.js");
    await getSharedApiKeyReader(apiKey, runtime.clock).current(signal);
  } catch (error) {
    throw asDocsPlatformError(error).withOutcome({
      exists: `${kept === undefined ? id : `${kept} ${id}`}, in the state: it was not deleted, since its replacement could not be created.`,
      nextRun: "fails with this error again, and deletes nothing, until it is corrected.",
    });
  }
}

export async function deleteResource(
  definition: Resource,
  operation: ExistingResourceOperation,
  session: Session,
): Promise<void> {
  const { id, state, settings } = operation;
  const entryGoes = () => removeEntryOfSavedJob(session, settings, state);
  await forgetEntryOfDeleted(id, state.__entry, entryGoes, session);
  // A process whose engine has ended may write this entry again. Because of the name in `touched`, this run does not
  // warn about the entry.
  session.starts.touched.add(String(state.__entry));
  const { context } = createOperationContext(operation, session);
  if (definition.kept !== undefined) {
    context.lastStatus(`${definition.kept} ${id} leaves the state; the platform keeps it`);
  }
  await definition.delete(id, state, context);
}

/**
 * The host calls delete only for a resource in the state, so its journal entry is not needed any more.
 * @throws JournalError if a create of this run has continued the job that is being deleted.
 */
export async function forgetEntryOfDeleted(
  id: string,
  entry: unknown,
  entryGoes: () => Promise<void> | undefined,
  { starts: { continued, touched } }: Session,
): Promise<void> {
  const isTakenUp = continued.delete(id);
  if (isTakenUp) {
    // The create of this run has touched the entry, and `entryGoes` would not remove a touched entry.
    touched.delete(String(entry));
  }
  await entryGoes();
  if (isTakenUp) {
    throw new JournalError({
      happened: `this run should replace ${id}, but the journal still had ${id}, so the create continued ${id} instead of starting a new job`,
      remedy: `run \`${words.replace}\` once more: the journal no longer has it.`,
    }).withOutcome({ exists: `${id}, in the state.`, nextRun: "starts nothing by itself." });
  }
}

/** For a resource without a state. The journal records no start: a user who asks again wants another job. */
export async function createUnrecorded(
  definition: Resource,
  operation: Creation,
  session: Session,
): Promise<RawValues> {
  const outcome = await create(definition, operation, session);
  if (outcome.problem !== undefined) {
    throw outcome.problem.withNewOutcome(consequencesOf(definition, outcome));
  }
  return outcome.state;
}

function consequencesOf({ kept }: Resource, { id, state: { jobId, status } }: WriteOutcome): ErrorConsequenceTexts {
  const what = kept === undefined ? `what was sent to job ${jobId}` : `${kept} ${id}`;
  return {
    exists: `${status === undefined ? `perhaps ${what}` : `${what}, last seen "${status}"`}. No state keeps it.`,
    nextRun: "another invocation starts another job, or sends another message.",
    remedy: `look at the job on the platform. To continue with an export job, adopt it as ${words.name("jobId")} of a ${words.type("StaticExport")}, or import it.`,
  };
}
