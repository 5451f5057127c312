import type { CheckFailure } from "../../definitions/rules";
import type { RawValues } from "../../definitions/values";
import type { ResourcePlan } from "../../engine/plan";
import { withErrorCode } from "../../pulumiEngine/engineValues";
import { differsFromStored } from "../../resources/differsFromStored";
import { diffChanges, diffKind, type PluginResponse } from "./messages";

export function diffResponse(
  { action, replaces, changingOutputs }: ResourcePlan,
  oldInputs: RawValues,
  newInputs: RawValues,
  outputs: readonly string[] = [],
): PluginResponse<"Diff"> {
  if (action === "none") {
    return { changes: diffChanges.none };
  }
  const changed = changedInputs(oldInputs, newInputs);
  const detailed = changed.map((name) => {
    const change = !(name in oldInputs) ? "add" : name in newInputs ? "update" : "delete";
    const kind = diffKind[replaces.includes(name) ? (`${change}Replace` as const) : change];
    return [name, { kind, inputDiff: true }] as const;
  });
  const stables = [...new Set([...Object.keys({ ...oldInputs, ...newInputs }), ...outputs])].filter(
    (name) => !changed.includes(name) && !changingOutputs.includes(name),
  );
  return {
    changes: diffChanges.some,
    // `detailed` contains only inputs. The engine would show an output in `detailed` as removed.
    hasDetailedDiff: changed.length > 0,
    detailedDiff: Object.fromEntries(detailed),
    diffs: [...new Set([...changed, ...changingOutputs])],
    replaces: [...replaces],
    stables: action === "replace" ? [] : stables,
  };
}

export function changedInputs(oldInputs: RawValues, newInputs: RawValues): string[] {
  const names = Object.keys({ ...oldInputs, ...newInputs });
  return names.filter((name) => differsFromStored(oldInputs[name], newInputs[name]));
}

/** The engine prints the value of the property that a failure names. So `property` never names a secret. */
export function checkResponse(inputs: RawValues, failures: readonly CheckFailure[], secrets: ReadonlySet<string>) {
  const told = failures.map(({ property, reason }) =>
    secrets.has(property) ? { property: "", reason: `${property} ${reason}` } : { property, reason },
  );
  return { inputs, failures: told.map(withErrorCode) };
}
