import type { RawValues } from "../definitions/values";
import type { Resource } from "../resources/resource";
import { dropSavedEntry } from "./evidence";
import { contextFor, type OnResource, type Operation } from "./operation";
import type { Session } from "./session";

/** In the state of what was read by its id alone: the program was not asked yet. */
const importedMark = "__imported";

/**
 * The values of that mark where a host makes no call that ends the import: what the program says is taken over by the run after
 * the import, and by none after that.
 */
const ages: readonly unknown[] = [true, "read by the import", "read by the run after it"];

/** The state before one more read of it. */
export function ageImport(state: RawValues): RawValues {
  const { [importedMark]: age, ...own } = state;
  const next = ages[ages.indexOf(age) + 1];
  return age === undefined || next === undefined ? own : { ...own, [importedMark]: next };
}

export function isImported(state: RawValues): boolean {
  return importedMark in state;
}

/**
 * The host has saved what was imported: no other evidence comes of an import that leaves nothing to note. Does nothing for
 * other states.
 */
export async function settleSavedImport(
  definition: Resource,
  { id, state, ...operation }: OnResource,
  session: Session,
): Promise<void> {
  const inputs = pick(state, definition.labels);
  const isWhole = definition.importedInputs.every((name) => inputs[name] !== undefined);
  if (state[importedMark] === ages[1] && isWhole) {
    await definition.settleImported(id, inputs, contextFor(operation, session).context);
  }
}

/** The state, with what an import could not know as the program has it. */
export function withImportedLabels({ labels = [] }: Resource, state: RawValues, inputs: RawValues): RawValues {
  const { [importedMark]: imported, ...own } = state;
  return imported ? { ...pick(inputs, labels), ...own } : own;
}

/** @returns undefined where the thing is gone. */
export async function read(
  definition: Resource,
  operation: OnResource,
  session: Session,
): Promise<RawValues | undefined> {
  const { id, settings } = operation;
  const { [importedMark]: imported, ...state } = operation.state;
  dropSavedEntry(session, settings.journalPlace(), state);
  const found = await definition.read(id, state, contextFor(operation, session).context);
  return found && (imported ? { ...found, [importedMark]: imported } : found);
}

/** Reads what is known by its id alone. The definition says where that is refused. */
export async function importById(
  definition: Resource,
  operation: Operation & { id: string },
  session: Session,
): Promise<{ state: RawValues; inputs: RawValues } | undefined> {
  const found = await definition.read(operation.id, {}, contextFor(operation, session).context);
  return found && { state: { ...found, [importedMark]: true }, inputs: pick(found, definition.importedInputs ?? []) };
}

function pick(values: RawValues, names: readonly string[]): RawValues {
  return Object.fromEntries(Object.entries(values).filter(([name]) => names.includes(name)));
}
