import { DiffResponse, PropertyDiff } from "@pulumi/pulumi/proto/provider_pb";
import type { Plan } from "../../engine/plan";
import { differs } from "../../resources/compare";
import type { RawValues } from "../../resources/lifecycle";

const { ADD, ADD_REPLACE, DELETE, DELETE_REPLACE, UPDATE, UPDATE_REPLACE } = PropertyDiff.Kind;

/** What a diff tells the engine. */
export interface Difference {
  plan: Plan;
  oldInputs: RawValues;
  newInputs: RawValues;
  /** Every output: those that an update leaves alone stay known to what depends on them. */
  outputs: readonly string[];
}

export function diffResponse({ plan, oldInputs, newInputs, outputs }: Difference): DiffResponse {
  const response = new DiffResponse();
  const { action, replaces, changingOutputs } = plan;
  if (action === "none") {
    return response.setChanges(DiffResponse.DiffChanges.DIFF_NONE);
  }
  const names = [...new Set([...Object.keys(oldInputs), ...Object.keys(newInputs)])];
  const changed = names.filter((name) => differs(oldInputs[name], newInputs[name]));
  for (const name of changed) {
    const property = new PropertyDiff();
    property.setKind(kindOf(name, replaces.includes(name), oldInputs, newInputs));
    property.setInputdiff(true);
    response.getDetaileddiffMap().set(name, property);
  }
  response.setChanges(DiffResponse.DiffChanges.DIFF_SOME);
  // The engine takes the new value of each from the inputs: it would show an output that changes as one that goes.
  response.setHasdetaileddiff(changed.length > 0);
  response.setDiffsList([...new Set([...changed, ...changingOutputs])]);
  response.setReplacesList([...replaces]);
  const stable = [...new Set([...names, ...outputs])].filter(
    (name) => !changed.includes(name) && !changingOutputs.includes(name),
  );
  return response.setStablesList(action === "replace" ? [] : stable);
}

function kindOf(name: string, replace: boolean, oldInputs: RawValues, newInputs: RawValues): PropertyDiff.Kind {
  if (!(name in oldInputs)) {
    return replace ? ADD_REPLACE : ADD;
  }
  if (!(name in newInputs)) {
    return replace ? DELETE_REPLACE : DELETE;
  }
  return replace ? UPDATE_REPLACE : UPDATE;
}
