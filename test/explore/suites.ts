import type { Budget, PlaySchedule } from "./schedule";
import { scripts } from "./scripts";
import { tell } from "./story";
import { terraformScripts } from "./terraformScripts";
import { tellOfTerraform } from "./terraformStory";

/** A script that the explorer can play. */
export interface Played {
  name: string;
  /**
   * True if its schedules take seconds. Then only the campaign plays all its schedules. `npm test` plays the script
   * only to check that it finds the bug of a mutant.
   */
  slow?: true;
  budget: Budget;
  tell: PlaySchedule;
}

/** All scripts, grouped by the promise that they test. */
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
