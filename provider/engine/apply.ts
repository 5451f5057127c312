import type { RawValues } from "../definitions/values";
import { PartialFailure } from "../resources/lifecycle";
import type { Resource } from "../resources/resource";
import { JournalError } from "../support/errors";
import { words } from "../support/words";
import { dropSavedEntryNow } from "./evidence";
import type { Predecessor } from "./left";
import { type Applied, contextFor, type OnResource, type Operation } from "./operation";
import { isImported, withImportedLabels } from "./read";
import type { Session } from "./session";
import { StartJournal } from "./startJournal";

/**
 * @param operation.replaced the state of what this one replaces, where the host has seen it.
 * @param operation.predecessor what this run deletes, to create this one in its place.
 * @throws where nothing has come to exist.
 */
export async function create(
  definition: Resource,
  operation: Operation & { inputs: RawValues; replaced?: RawValues | undefined; predecessor?: Predecessor | undefined },
  session: Session,
): Promise<Applied> {
  const { inputs, replaced, predecessor } = operation;
  const { context, starts } = contextFor(operation, session, predecessor);
  try {
    const applied = await keepPartial(() => definition.create(inputs, context, replaced));
    session.made.add(applied.id);
    session.atTheEnd(() => starts.handedOver());
    return applied;
  } finally {
    starts.end();
  }
}

/** @throws if nothing has changed, so that the host keeps the old state. */
export async function update(
  definition: Resource,
  operation: OnResource & { inputs: RawValues },
  session: Session,
): Promise<Applied> {
  const { id, inputs, settings } = operation;
  const state = withImportedLabels(definition, operation.state, inputs);
  const { context } = contextFor(operation, session);
  await dropSavedEntryNow(session, settings.journalPlace(), state);
  if (isImported(operation.state)) {
    await StartJournal.of(definition, operation, inputs, session)?.settle(id);
  }
  return keepPartial(async () => ({ id, state: await definition.update(id, state, inputs, context) }));
}

/**
 * @throws JournalError if a create of this run has continued the job that is deleted now: the state had this job all
 * the time.
 */
export async function remove(definition: Resource, operation: OnResource, session: Session): Promise<void> {
  const { id, state, settings } = operation;
  const isTakenUp = session.resumed.delete(id);
  if (isTakenUp) {
    // This call proves that the state has this entry, although this process has continued it. So the entry may be
    // removed.
    session.touched.delete(String(state.__entry));
  }
  await dropSavedEntryNow(session, settings.journalPlace(), state);
  if (isTakenUp) {
    throw new JournalError({
      happened: `this run should replace ${id}, but the journal still had ${id}, so the create continued ${id} instead of starting a new job`,
      remedy: `run \`${words.replace}\` once more: the journal no longer has it.`,
    }).withOutcome({ exists: `${id}, in the state.`, nextRun: "starts nothing by itself." });
  }
  // A process that has lost its engine may still write this entry, which is about the deleted resource.
  session.touched.add(String(state.__entry));
  const { context } = contextFor(operation, session);
  if (definition.kept !== undefined) {
    context.lastStatus(`${definition.kept} ${id} leaves the state; the platform keeps it`);
  }
  await definition.delete(id, state, context);
}

/** Turns a partial failure into a result with a problem, so that the host saves what was created. */
async function keepPartial(work: () => Promise<Applied>): Promise<Applied> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof PartialFailure) {
      return { id: error.id, state: { ...error.state }, problem: error.reason };
    }
    throw error;
  }
}
