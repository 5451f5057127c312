import type { Budget, PlaySchedule } from "./schedule";
import { scripts } from "./scripts";
import { playScript } from "./story";
import { terraformScripts } from "./terraformScripts";
import { playTerraformScript } from "./terraformStory";

export interface Played {
  name: string;
  /**
   * True if it takes many seconds to play all schedules of this script. Then only the campaign plays them all. A test of a
   * mutant may still play this script.
   */
  slow?: true;
  budget: Budget;
  play: PlaySchedule;
}

export const suites: Readonly<Record<string, readonly Played[]>> = {
  "no job is lost, started twice, or handed out for another one": scripts.map((script) => ({
    ...script,
    play: playScript(script),
  })),
  "the same of jobs holds on Terraform": terraformScripts.map((script) => ({
    ...script,
    name: `Terraform: ${script.name}`,
    play: playTerraformScript(script),
  })),
};
