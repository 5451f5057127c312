import { containsUnknown, type RawValues, unknown } from "../definitions/values";
import { differsFromStored } from "../resources/differsFromStored";
import type { InputChanges } from "../resources/lifecycle";
import type { Resource } from "../resources/resource";
import type { CheckedSettings } from "../settings/settings";
import { words } from "../support/words";
import { scheduleSavedEntryRemoval } from "./entryCleanup";
import type { ExistingResourceOperation, Update } from "./operation";
import { warnOfInvalidSettings, warnOfMissingKey } from "./processSettings";
import { addProgramValuesAfterImport, wasImported } from "./read";
import type { Session } from "./session";

export interface ResourcePlan {
  action: "none" | "update" | "replace";
  replaces: readonly string[];
  changingOutputs: readonly string[];
  /** The unknown inputs that count as unchanged in a preview. If one has changed, the run replaces the resource. */
  assumed: readonly string[];
  /** True if no input has changed, and the run only continues a pending operation. */
  continues: boolean;
  /** The reason for the operation, as text for the user, if no input has changed. */
  reason?: string | undefined;
}

export const noChange: ResourcePlan = {
  action: "none",
  replaces: [],
  changingOutputs: [],
  assumed: [],
  continues: false,
};

export function plan(definition: Resource, operation: Update, session: Session): ResourcePlan {
  const { address, inputs, settings } = operation;
  const state = addProgramValuesAfterImport(definition, operation.state, inputs);
  const decided = decideAsBound(definition, state, inputs, session);
  const isTakenOver = wasImported(operation.state) && decided.action === "none";
  const planned = isTakenOver ? takenOver(definition, decided, operation, session) : decided;
  scheduleSavedEntryRemoval(session, settings, state);
  if (planned.action !== "replace") {
    warnOfKeptInputs(definition, operation, session);
  }
  if (planned.action === "none") {
    warnOfOtherOrigin(definition, operation, session);
  }
  // The host's protocol cannot express that an input may change, so a preview must assume that it stays the same.
  if (planned.assumed.length > 0) {
    session.warn(
      address,
      `${planned.assumed.join(" and ")}: not known yet. This ${words.preview} assumes that the value stays the same. If it changes, the run replaces this resource.`,
    );
  }
  if (planned.action !== "none") {
    warnOfInvalidSettings(settings, session);
    // An update that changes no output sends no request, so it needs no key.
    if (planned.changingOutputs.length > 0) {
      warnOfMissingKey(settings, session);
    }
  }
  if (planned.reason !== undefined) {
    session.reason(address, planned.reason);
  }
  return planned;
}

/** Warns if a setting or a missing key would make the create fail. For a start, also cleans the journal up. */
export function warnOfCreateProblems({ starts }: Resource, settings: CheckedSettings, session: Session): void {
  if (starts) {
    session.planStart();
  }
  warnOfInvalidSettings(settings, session);
  warnOfMissingKey(settings, session);
}

/** In the first run after the program has removed an input, warns that the resource keeps the input's value. */
function warnOfKeptInputs(
  { inputs: fields, kept }: Resource,
  { address, state, inputs, before = {} }: Update,
  session: Session,
): void {
  for (const [name, { staysWhenRemoved }] of Object.entries(fields)) {
    if (staysWhenRemoved !== undefined && before[name] !== undefined && inputs[name] === undefined) {
      session.info(
        address,
        `${words.name(name)} is no longer given: this stays at ${kept} ${String(state[name])}. ${staysWhenRemoved}.`,
      );
    }
  }
}

/** Warns if the resource was created at another base URL: the current platform may use its id for another job. */
function warnOfOtherOrigin(
  { inputs }: Resource,
  { address, state, settings }: ExistingResourceOperation,
  session: Session,
) {
  const { __origin: before } = state;
  const [by, { ofPlatform }] = Object.entries(inputs).find(([, field]) => field.ofPlatform !== undefined) ?? ["", {}];
  const isKnown = ofPlatform !== undefined && typeof before === "string" && settings.has("platform");
  if (isKnown && settings.need("platform").origin !== before) {
    session.warn(
      address,
      `${ofPlatform} ${String(state[by])} was of ${before}, and the base URL is of ${settings.need("platform").origin}: this resource stays unchanged. To use the job of this id there, run \`${words.replace}\`.`,
    );
  }
}

/** The latest time that a Date can have. At this time, every link has expired. */
const endOfTime = 8.64e15;

/**
 * A binding plan must show every change that the run may make. So it counts every unknown input, and every output that
 * may expire before the run, as changed.
 */
function decideAsBound(definition: Resource, state: RawValues, inputs: RawValues, { planBinds, runtime }: Session) {
  const decided = planChange(definition, state, inputs, runtime.clock.now(), planBinds);
  return planBinds && decided.action === "update"
    ? { ...decided, changingOutputs: planChange(definition, state, inputs, endOfTime, planBinds).changingOutputs }
    : decided;
}

/**
 * Turns the plan for an imported resource into an update that saves the program's values. A binding plan is changed
 * only if the state lacks one of these values.
 */
function takenOver(
  { labels }: Resource,
  decided: ResourcePlan,
  { state, inputs }: Update,
  { planBinds }: Session,
): ResourcePlan {
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

export function planChange(
  definition: Resource,
  state: RawValues,
  inputs: RawValues,
  now: number,
  planBinds = false,
): ResourcePlan {
  const changes = compare(definition, state, inputs, planBinds);
  const { replaces, update, changingOutputs, reason } = definition.decide(state, inputs, changes, now);
  const { assumed, updating } = changes;
  if (replaces.length > 0) {
    return { ...noChange, action: "replace", replaces, changingOutputs: definition.outputs, assumed, reason };
  }
  const changing = changingOutputs === "all" ? definition.outputs : changingOutputs;
  const continues = update && updating.length === 0 && definition.starts === true;
  return { action: update ? "update" : "none", replaces, changingOutputs: changing, assumed, continues, reason };
}

export function computePlannedState(
  definition: Resource,
  { state, inputs }: { state?: RawValues; inputs: RawValues },
  { runtime }: Session,
): RawValues {
  if (state === undefined) {
    return { ...unknowns(definition.outputs), ...inputs };
  }
  const before = addProgramValuesAfterImport(definition, state, inputs);
  const { changingOutputs } = planChange(definition, before, inputs, runtime.clock.now());
  // An input that the program no longer gives is removed, unless an output has the same name.
  const kept = Object.entries(before).filter(
    ([name]) => !Object.hasOwn(definition.inputs, name) || definition.outputs.includes(name),
  );
  return { ...Object.fromEntries(kept), ...unknowns(changingOutputs), ...inputs };
}

function unknowns(names: readonly string[]): RawValues {
  return Object.fromEntries(names.map((name) => [name, unknown]));
}

function compare({ inputs: fields }: Resource, state: RawValues, inputs: RawValues, planBinds: boolean): InputChanges {
  const changes: InputChanges = { replacing: [], updating: [], assumed: [] };
  for (const [name, { onChange, staysWhenRemoved, assumed }] of Object.entries(fields)) {
    const input = inputs[name];
    if (assumed && !planBinds && containsUnknown(input)) {
      changes.assumed.push(name);
    } else if (differsFromStored(state[name], input) && !(staysWhenRemoved && input === undefined)) {
      if (onChange === "replace") {
        changes.replacing.push(name);
      } else if (onChange === "update") {
        changes.updating.push(name);
      }
    }
  }
  return changes;
}
