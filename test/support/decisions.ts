import { check } from "../../provider/engine/check";
import { decide, type Plan } from "../../provider/engine/plan";
import { type ResourceName, resources } from "../../provider/resources/index";

/** What a run would do with this state, at a time by the clock of this machine. */
export function planned(name: ResourceName, state: object, inputs: object, now: number, machine?: string): Plan {
  return decide(resources[name], { ...state }, { ...inputs }, { now, machine });
}

/** What a check says of these inputs, where no setting is missing. */
export function checked(name: ResourceName, inputs: object, projectId: string | undefined) {
  return check(resources[name], { ...inputs }, { projectId: () => projectId, problems: () => [] });
}

/** A plan that does nothing. */
export const unchanged: Plan = { action: "none", replaces: [], changingOutputs: [], assumed: [] };
