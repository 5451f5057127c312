import { check } from "../../provider/engine/check";
import { type Plan, planChange } from "../../provider/engine/plan";
import { type ResourceName, resources } from "../../provider/resources/index";
import { GivenSettings } from "../../provider/settings/settings";
import { goodEnvironment } from "./settingsUnderTest";

/** Returns the plan for a resource with this state and these inputs, at the time `now` of this machine's clock. */
export function planned(name: ResourceName, state: object, inputs: object, now: number): Plan {
  return planChange(resources[name], { ...state }, { ...inputs }, now);
}

/** Returns settings that a resource needs: the key, the base URL, and the project id if it is given. */
export function completeSettings(projectId?: string): GivenSettings {
  const DOCS_PLATFORM_PROJECT_ID = projectId ?? "";
  return new GivenSettings({ environment: { ...goodEnvironment, DOCS_PLATFORM_PROJECT_ID } });
}

/** Checks inputs as the resource does. Returns the checked inputs and the failures. */
export function checked(name: ResourceName, inputs: object, projectId: string | undefined) {
  const found = check(resources[name], { ...inputs }, completeSettings(projectId));
  return { inputs: found.inputs, failures: [...found.failures, ...found.settingFailures] };
}

/** A plan that does nothing. */
export const unchanged: Plan = { action: "none", replaces: [], changingOutputs: [], assumed: [], continues: false };
