import type { Budget, PlaySchedule } from "./schedule";
import { scripts } from "./scripts";
import { tell } from "./story";
import { terraformScripts } from "./terraformScripts";
import { tellOfTerraform } from "./terraformStory";

/** A script, as the explorer plays it. */
export interface Played {
  name: string;
  /**
   * True if its schedules take seconds. Such a script runs only in the campaign, and in the test that a bug is found.
   */
  slow?: true;
  budget: Budget;
  tell: PlaySchedule;
}

/** All scripts, by the promise that they test. */
export const suites: Readonly<Record<string, readonly Played[]>> = {
  "no job is lost, started twice, or handed out for another one": scripts.map((script) => ({
    ...script,
    tell: tell(script),
  })),
  "the same of jobs holds on Terraform": terraformScripts.map((script) => ({
    ...script,
    name: `Terraform: ${script.name}`,
    tell: tellOfTerraform(script),
  })),
};
