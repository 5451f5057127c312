import type { Budget, PlaySchedule } from "./schedule";
import { scripts } from "./scripts";
import { tell } from "./story";
import { terraformScripts } from "./terraformScripts";
import { tellOfTerraform } from "./terraformStory";

export interface Played {
  name: string;
  /**
   * The script's schedules take seconds, so only the campaign plays them all. `npm test` plays the script only with a
   * mutant's bug.
   */
  slow?: true;
  budget: Budget;
  tell: PlaySchedule;
}

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
