import { check } from "../../provider/engine/check";
import { type Plan, planChange } from "../../provider/engine/plan";
import { type ResourceName, resources } from "../../provider/resources/index";
import { GivenSettings } from "../../provider/settings/settings";
import { goodEnvironment } from "./settingsUnderTest";

/** Returns the plan for a resource with this state and these inputs. The machine's clock shows `now`. */
export function planned(name: ResourceName, state: object, inputs: object, now: number): Plan {
  return planChange(resources[name], { ...state }, { ...inputs }, now);
}

export function completeSettings(projectId?: string): GivenSettings {
  const DOCS_PLATFORM_PROJECT_ID = projectId ?? "";
  return new GivenSettings({ environment: { ...goodEnvironment, DOCS_PLATFORM_PROJECT_ID } });
}

/** Returns the checked inputs and the failures. */
export function checked(name: ResourceName, inputs: object, projectId: string | undefined) {
  const found = check(resources[name], { ...inputs }, completeSettings(projectId));
  return { inputs: found.inputs, failures: [...found.failures, ...found.settingFailures] };
}

export const unchanged: Plan = { action: "none", replaces: [], changingOutputs: [], assumed: [], continues: false };
