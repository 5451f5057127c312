import { type RawValues, unknown } from "../definitions/values";
import { differs, holdsUnknown } from "../resources/compare";
import type { Changes, ClockReading } from "../resources/lifecycle";
import type { Resource } from "../resources/resource";
import { printable } from "../support/printable";
import { systemClock } from "../support/time/clock";
import { words } from "../support/words";
import { dropSavedEntry, noteAbandoned } from "./evidence";
import { warnOfMissingKey } from "./missingKey";
import type { OnResource } from "./operation";
import { isImported, withImportedLabels } from "./read";
import type { Session } from "./session";

/** The known part of the change that a run will make to a resource. */
export interface Plan {
  action: "none" | "update" | "replace";
  /** The properties that require a replacement. */
  replaces: readonly string[];
  /** The outputs that the run sets, and whose values are not known before the run. */
  changingOutputs: readonly string[];
  /**
   * The inputs that are not known yet and are taken for unchanged. If the value changes after all, the run replaces the
   * resource.
   */
  assumed: readonly string[];
  /** True if no input has changed, and the run only continues what is under way. */
  continues: boolean;
  /** Why there is something to do, if no changed input shows it. */
  reason?: string | undefined;
}

export const noChange: Plan = { action: "none", replaces: [], changingOutputs: [], assumed: [], continues: false };

/** Decides what the run does to the resource. Sends nothing. */
export function plan(definition: Resource, operation: OnResource & { inputs: RawValues }, session: Session): Plan {
  const { address, inputs, settings } = operation;
  const state = withImportedLabels(definition, operation.state, inputs);
  const moved = originsOf(operation);
  const decided = decideAsBound(definition, state, inputs, session, moved === undefined ? nothing : session.made);
  const isTakenOver = isImported(operation.state) && decided.action === "none";
  const planned = isTakenOver ? takenOver(definition, decided, operation, session) : decided;
  dropSavedEntry(session, settings.journalPlace(), state);
  if (planned.action !== "replace") {
    noteAbandoned(session, settings.journalPlace(), state, (text) => session.warn(address, printable(text)));
  }
  if (moved !== undefined && planned.action === "none" && isOfPlatform(definition)) {
    const { before, now } = moved;
    session.warn(
      address,
      `export job ${String(state.jobId)} was of ${before}, and the base URL is of ${now}: this stays as it is. To use the job of this id there, run \`${words.replace}\`.`,
    );
  }
  warnOfAssumed(planned, address, session);
  // An update that changes no output sends nothing, so it needs no key.
  if (planned.action !== "none" && planned.changingOutputs.length > 0) {
    warnOfMissingKey(settings, session);
  }
  if (planned.reason !== undefined) {
    session.reason(address, printable(planned.reason));
  }
  return planned;
}

const nothing: ReadonlySet<unknown> = new Set();

function isOfPlatform({ inputs }: Resource): boolean {
  return Object.values(inputs).some(({ ofPlatform }) => ofPlatform === true);
}

/** Returns the origin of the state and that of the base URL, if they differ. */
function originsOf({ state: { __origin: before }, settings }: OnResource): { before: string; now: string } | undefined {
  const given = typeof before === "string" ? settings.read() : [];
  return typeof before !== "string" || Array.isArray(given) || given.origin === before
    ? undefined
    : { before, now: given.origin };
}

/** The latest time that a Date can have: everything that can ever be due is due by then. */
const endOfTime = { now: 8.64e15 };

/**
 * If the plan binds, an input that is not known yet counts as changed, and an output counts as changed if it may be due
 * when the plan runs.
 */
function decideAsBound(
  definition: Resource,
  state: RawValues,
  inputs: RawValues,
  { planBinds, world }: Session,
  moved: ReadonlySet<unknown>,
): Plan {
  const reading = { now: world.clock.now(), machine: world.clock.machine };
  const decided = decide(definition, state, inputs, reading, planBinds, moved);
  return planBinds && decided.action === "update"
    ? { ...decided, changingOutputs: decide(definition, state, inputs, endOfTime, planBinds, moved).changingOutputs }
    : decided;
}

/**
 * Plans an update that records in the state what the program says. If the plan binds, an update without such a change
 * is not planned.
 */
function takenOver(
  { labels = [] }: Resource,
  decided: Plan,
  { state, inputs }: { state: RawValues; inputs: RawValues },
  { planBinds }: Session,
): Plan {
  const noted = labels.filter((name) => name in inputs && !(name in state)).map(words.name);
  if (planBinds && noted.length === 0) {
    return decided;
  }
  const what = noted.length > 0 ? `its ${noted.join(" and ")}` : "the inputs of the program";
  return {
    ...decided,
    action: "update",
    reason: `was imported: the run saves ${what} in the state, and starts nothing`,
  };
}

/** @param moved the ids of jobs that are of another platform than the state, although they are the same. */
export function decide(
  definition: Resource,
  state: RawValues,
  inputs: RawValues,
  reading: ClockReading,
  planBinds = false,
  moved: ReadonlySet<unknown> = nothing,
): Plan {
  const changes = compare(definition, state, inputs, planBinds, moved);
  const { replaces, update, changingOutputs, reason } = definition.decide(state, inputs, changes, reading);
  const { assumed, updating } = changes;
  if (replaces.length > 0) {
    return { ...noChange, action: "replace", replaces, changingOutputs: definition.outputs, assumed, reason };
  }
  const changing = changingOutputs === "all" ? definition.outputs : changingOutputs;
  const continues = update && updating.length === 0 && definition.isUnderWay(state);
  return { action: update ? "update" : "none", replaces, changingOutputs: changing, assumed, continues, reason };
}

/**
 * Returns the state after the run, as far as this is known before the run.
 * @param operation has no state if the resource is to be created.
 */
export function plannedState(
  definition: Resource,
  { state, inputs }: { state?: RawValues; inputs: RawValues },
): RawValues {
  if (state === undefined) {
    return { ...unknowns(definition.outputs), ...inputs };
  }
  const before = withImportedLabels(definition, state, inputs);
  const reading = { now: systemClock.now(), machine: systemClock.machine };
  const { changingOutputs } = decide(definition, before, inputs, reading);
  // Drops an input that the program no longer gives. An output of the same name stays.
  const kept = Object.entries(before).filter(
    ([name]) => !Object.hasOwn(definition.inputs, name) || definition.outputs.includes(name),
  );
  return { ...Object.fromEntries(kept), ...unknowns(changingOutputs), ...inputs };
}

function unknowns(names: readonly string[]): RawValues {
  return Object.fromEntries(names.map((name) => [name, unknown]));
}

/**
 * Returns the inputs that differ from the state. The definition says which of them replace the resource, also in the
 * schemas.
 */
function compare(
  { inputs: fields }: Resource,
  state: RawValues,
  inputs: RawValues,
  planBinds: boolean,
  moved: ReadonlySet<unknown>,
): Changes {
  const changes: Changes = { replacing: [], updating: [], assumed: [] };
  for (const [name, { onChange, staysWhenRemoved, assumed, ofPlatform = false }] of Object.entries(fields)) {
    const input = inputs[name];
    if (assumed && !planBinds && holdsUnknown(input)) {
      changes.assumed.push(name);
    } else if (ofPlatform && moved.has(input)) {
      changes.replacing.push(name);
    } else if (differs(state[name], input) && !(staysWhenRemoved && input === undefined)) {
      if (onChange === "replace") {
        changes.replacing.push(name);
      } else if (onChange === "update") {
        changes.updating.push(name);
      }
    }
  }
  return changes;
}

/** Warns if a preview may show less than the run does: the protocol of a host cannot say "perhaps". */
function warnOfAssumed({ assumed }: Plan, address: string | undefined, session: Session): void {
  if (assumed.length > 0) {
    session.warn(
      address,
      `${assumed.join(" and ")}: not known yet. This ${words.preview} assumes that the value stays the same. If it changes, the run replaces this resource.`,
    );
  }
}
