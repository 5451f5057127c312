import { check } from "../../provider/engine/check";
import { decide, type Plan } from "../../provider/engine/plan";
import { type ResourceName, resources } from "../../provider/resources/index";

/** Returns the plan for this state, at a time of this machine's clock. */
export function planned(name: ResourceName, state: object, inputs: object, now: number): Plan {
  return decide(resources[name], { ...state }, { ...inputs }, now);
}

/** Returns the result of a check of these inputs with complete settings. */
export function checked(name: ResourceName, inputs: object, projectId: string | undefined) {
  return check(resources[name], { ...inputs }, { projectId: () => projectId, problems: () => [] });
}

/** A plan that does nothing. */
export const unchanged: Plan = { action: "none", replaces: [], changingOutputs: [], assumed: [], continues: false };
