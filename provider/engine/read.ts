import type { RawValues } from "../definitions/values";
import type { Resource } from "../resources/resource";
import { ConfigurationError } from "../support/errors";
import { pickProperties } from "../support/objects";
import { scheduleSavedEntryRemoval } from "./entryCleanup";
import { type BaseOperation, createOperationContext, type ExistingResourceOperation } from "./operation";
import type { Session } from "./session";

/** Marks an imported state that does not contain the program's values yet. */
const importedMark = "__imported";

/**
 * The values of the mark, in order. An import sets the first value. Each `readBeforePlan` sets the next value, and
 * removes the mark after the last value. Terraform reads once in the import, and once in each run. So the mark still
 * exists in the first run after the import. Only this run saves the program's values.
 */
const ages: readonly unknown[] = [true, "read by the import", "read by the run after it"];

function ageImport(state: RawValues): RawValues {
  const { [importedMark]: age, ...own } = state;
  const next = ages[ages.indexOf(age) + 1];
  return age === undefined || next === undefined ? own : { ...own, [importedMark]: next };
}

export function wasImported(state: RawValues): boolean {
  return importedMark in state;
}

/** Returns a state without the mark. A marked state also gets the program's values that an import cannot read. */
export function addProgramValuesAfterImport({ labels }: Resource, state: RawValues, inputs: RawValues): RawValues {
  const { [importedMark]: imported, ...own } = state;
  return imported ? { ...pickProperties(inputs, (name) => labels.includes(name)), ...own } : own;
}

/** @returns undefined if the resource no longer exists. */
export async function read(definition: Resource, operation: ExistingResourceOperation, session: Session) {
  const { id, settings } = operation;
  const { [importedMark]: imported, ...state } = operation.state;
  scheduleSavedEntryRemoval(session, settings, state);
  const found = await definition.read(id, state, createOperationContext(operation, session).context);
  return found && (imported ? { ...found, [importedMark]: imported } : found);
}

/** For a host that reads before each plan. Sends no request to the platform. */
export async function readBeforePlan(definition: Resource, operation: ExistingResourceOperation, session: Session) {
  const state = ageImport(operation.state);
  if (definition.readsAtPlan && operation.settings.isKnown("caFile")) {
    return read(definition, { ...operation, state }, session);
  }
  scheduleSavedEntryRemoval(session, operation.settings, state);
  return state;
}

/** @throws ConfigurationError if a resource of this kind cannot be found by its id alone. */
export async function importById(definition: Resource, operation: BaseOperation & { id: string }, session: Session) {
  if (definition.notImported !== undefined) {
    throw new ConfigurationError(
      [`this resource cannot be imported: ${definition.notImported}`],
      "declare the resource, without an import.",
    );
  }
  const found = await definition.read(operation.id, {}, createOperationContext(operation, session).context);
  return (
    found && {
      state: { ...found, [importedMark]: true },
      inputs: pickProperties(found, (name) => definition.importedInputs.includes(name)),
    }
  );
}
