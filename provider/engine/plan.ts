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

/** What a run is going to do with a resource, as far as it is known before it. */
export interface Plan {
  action: "none" | "update" | "replace";
  /** The properties that make a replacement necessary. */
  replaces: readonly string[];
  /** The outputs that the run sets anew, and that are not known before it. */
  changingOutputs: readonly string[];
  /** The inputs that are not known yet and are taken for unchanged: the run replaces, where one of them is changed after all. */
  assumed: readonly string[];
  /** Why, where no input tells it. */
  reason?: string | undefined;
}

export const noChange: Plan = { action: "none", replaces: [], changingOutputs: [], assumed: [] };

/** Decides what is to be done. Sends nothing. */
export function plan(definition: Resource, operation: OnResource & { inputs: RawValues }, session: Session): Plan {
  const { address, inputs, settings } = operation;
  const state = withImportedLabels(definition, operation.state, inputs);
  const decided = decideAsBound(definition, state, inputs, session);
  const isTakenOver = isImported(operation.state) && decided.action === "none";
  const planned = isTakenOver ? takenOver(definition, decided, operation, session) : decided;
  dropSavedEntry(session, settings.journalPlace(), state);
  if (planned.action !== "replace") {
    noteAbandoned(session, settings.journalPlace(), state, (text) => session.warn(address, printable(text)));
  }
  warnOfAssumed(planned, address, session);
  // An update that leaves all outputs alone sends nothing.
  if (planned.action !== "none" && planned.changingOutputs.length > 0) {
    warnOfMissingKey(settings, session);
  }
  if (planned.reason !== undefined) {
    session.reason(address, printable(planned.reason));
  }
  return planned;
}

/** The machine's clock at its last: what is ever due is due by then. */
const endOfTime = { now: 8.64e15 };

/** Where the plan binds, an input that is not known yet is one that changes; and so are the outputs that are due once it runs. */
function decideAsBound(definition: Resource, state: RawValues, inputs: RawValues, { planBinds, world }: Session): Plan {
  const reading = { now: world.clock.now(), machine: world.clock.machine };
  const decided = decide(definition, state, inputs, reading, planBinds);
  return planBinds && decided.action === "update"
    ? { ...decided, changingOutputs: decide(definition, state, inputs, endOfTime, planBinds).changingOutputs }
    : decided;
}

/** An update notes what the program says. Where the plan binds, there is no update that changes nothing. */
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

export function decide(
  definition: Resource,
  state: RawValues,
  inputs: RawValues,
  reading: ClockReading,
  planBinds = false,
): Plan {
  const changes = compare(definition, state, inputs, planBinds);
  const { replaces, update, changingOutputs, reason } = definition.decide(state, inputs, changes, reading);
  const { assumed } = changes;
  if (replaces.length > 0) {
    return { action: "replace", replaces, changingOutputs: definition.outputs, assumed, reason };
  }
  const changing = changingOutputs === "all" ? definition.outputs : changingOutputs;
  return { action: update ? "update" : "none", replaces, changingOutputs: changing, assumed, reason };
}

/**
 * The state after the run, as far as it is known before it.
 * @param operation without a state for a resource that is to be created.
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
  // An input that is taken away is one no more; an output of the same name stays.
  const kept = Object.entries(before).filter(
    ([name]) => !Object.hasOwn(definition.inputs, name) || definition.outputs.includes(name),
  );
  return { ...Object.fromEntries(kept), ...unknowns(changingOutputs), ...inputs };
}

function unknowns(names: readonly string[]): RawValues {
  return Object.fromEntries(names.map((name) => [name, unknown]));
}

/** Which inputs differ from the state. What replaces is read from the definition here, as the schemas do. */
function compare({ inputs: fields }: Resource, state: RawValues, inputs: RawValues, planBinds: boolean): Changes {
  const changes: Changes = { replacing: [], updating: [], assumed: [] };
  for (const [name, { onChange, staysWhenRemoved, assumed }] of Object.entries(fields)) {
    const input = inputs[name];
    if (assumed && !planBinds && holdsUnknown(input)) {
      changes.assumed.push(name);
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

/** No host's protocol has a "perhaps": where a preview may say less than the run does, a warning says so. */
function warnOfAssumed({ assumed }: Plan, address: string | undefined, session: Session): void {
  if (assumed.length > 0) {
    session.warn(
      address,
      `${assumed.join(" and ")}: not known yet. This ${words.preview} assumes that the value stays the same. If it changes, the run replaces this resource.`,
    );
  }
}
