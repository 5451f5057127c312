import { check } from "../../provider/engine/check";
import { decide, type Plan } from "../../provider/engine/plan";
import { type ResourceName, resources } from "../../provider/resources/index";
import { GivenSettings } from "../../provider/settings/settings";
import { goodEnvironment } from "./settingsUnderTest";

/** Returns the plan for a resource with this state and these inputs, at the time `now` of this machine's clock. */
export function planned(name: ResourceName, state: object, inputs: object, now: number): Plan {
  return decide(resources[name], { ...state }, { ...inputs }, now);
}

/** Settings with a value for everything, except that the project id may be missing. */
export function completeSettings(projectId?: string): GivenSettings {
  const DOCS_PLATFORM_PROJECT_ID = projectId ?? "";
  return new GivenSettings({ environment: { ...goodEnvironment, DOCS_PLATFORM_PROJECT_ID } });
}

/** Returns the result of the resource's check of these inputs, with complete settings. */
export function checked(name: ResourceName, inputs: object, projectId: string | undefined) {
  const found = check(resources[name], { ...inputs }, completeSettings(projectId));
  return { inputs: found.inputs, failures: [...found.failures, ...found.settingFailures] };
}

/** A plan that does nothing. */
export const unchanged: Plan = { action: "none", replaces: [], changingOutputs: [], assumed: [], continues: false };
