import { check } from "../../provider/engine/check";
import { planChange, type ResourcePlan } from "../../provider/engine/plan";
import { type ResourceTypeName, resources } from "../../provider/resources/index";
import { CheckedSettings } from "../../provider/settings/settings";
import { goodEnvironment } from "./settingsUnderTest";

/** Returns the plan for a resource with this state and these inputs. The machine's clock shows `now`. */
export function planned(name: ResourceTypeName, state: object, inputs: object, now: number): ResourcePlan {
  return planChange(resources[name], { ...state }, { ...inputs }, now);
}

export function completeSettings(projectId?: string): CheckedSettings {
  const DOCS_PLATFORM_PROJECT_ID = projectId ?? "";
  return new CheckedSettings({ environment: { ...goodEnvironment, DOCS_PLATFORM_PROJECT_ID } });
}

/** Returns the checked inputs and the failures. */
export function checked(name: ResourceTypeName, inputs: object, projectId: string | undefined) {
  const found = check(resources[name], { ...inputs }, completeSettings(projectId));
  return { inputs: found.inputs, failures: [...found.failures, ...found.settingFailures] };
}

export const unchanged: ResourcePlan = {
  action: "none",
  replaces: [],
  changingOutputs: [],
  assumed: [],
  continues: false,
};
