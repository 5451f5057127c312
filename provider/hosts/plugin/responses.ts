import type { CheckFailure } from "../../definitions/rules";
import type { RawValues } from "../../definitions/values";
import type { Plan } from "../../engine/plan";
import type { Properties } from "../../engine/secrets";
import { withCode } from "../../pulumiEngine/engineValues";
import { differs } from "../../resources/compare";
import { diffChanges, diffKind, type PluginResponse } from "./messages";
import { writeProperties } from "./properties";

/** The contents of a diff for the engine. */
export interface Difference {
  plan: Plan;
  oldInputs: RawValues;
  newInputs: RawValues;
  /**
   * The names of all outputs. An output that an update does not change stays known to the resources that depend on it.
   */
  outputs: readonly string[];
}

export function diffResponse({ plan, oldInputs, newInputs, outputs }: Difference): PluginResponse<"Diff"> {
  const { action, replaces, changingOutputs } = plan;
  if (action === "none") {
    return { changes: diffChanges.none };
  }
  const names = [...new Set([...Object.keys(oldInputs), ...Object.keys(newInputs)])];
  const changed = names.filter((name) => differs(oldInputs[name], newInputs[name]));
  const detailed = changed.map((name) => {
    const kind = kindOf(name, replaces.includes(name), oldInputs, newInputs);
    return [name, { kind, inputDiff: true }] as const;
  });
  const stables = [...new Set([...names, ...outputs])].filter(
    (name) => !changed.includes(name) && !changingOutputs.includes(name),
  );
  return {
    changes: diffChanges.some,
    // The details list inputs only: the engine takes new values from the inputs, and would show a changed output as
    // removed.
    hasDetailedDiff: changed.length > 0,
    detailedDiff: Object.fromEntries(detailed),
    diffs: [...new Set([...changed, ...changingOutputs])],
    replaces: [...replaces],
    stables: action === "replace" ? [] : stables,
  };
}

function kindOf(name: string, replace: boolean, oldInputs: RawValues, newInputs: RawValues): number {
  if (!(name in oldInputs)) {
    return replace ? diffKind.addReplace : diffKind.add;
  }
  if (!(name in newInputs)) {
    return replace ? diffKind.deleteReplace : diffKind.delete;
  }
  return replace ? diffKind.updateReplace : diffKind.update;
}

export function checkResponse(inputs: Properties, failures: readonly CheckFailure[]): PluginResponse<"Check"> {
  return { inputs: writeProperties(inputs.values, inputs.secrets), failures: failures.map(withCode) };
}
