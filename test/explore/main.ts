import { describeFailure, explore, type Schedule } from "./schedule";
import { scripts } from "./scripts";
import { tell } from "./story";
import { surroundingsOf } from "./surroundings";
import { terraformScripts } from "./terraformScripts";
import { tellOfTerraform } from "./terraformStory";

/** Explores every script of one engine until one breaks a rule, and ends with 1 then. */
async function main(engine = "pulumi"): Promise<void> {
  const ofPulumi = scripts.map((script) => {
    const run = (schedule: Schedule) => tell(script, schedule, surroundingsOf(script));
    return { ...script, run };
  });
  const ofTerraform = terraformScripts.map((script) => {
    const run = (schedule: Schedule) => tellOfTerraform(script, schedule);
    return { ...script, run };
  });
  const begin = process.cpuUsage();
  let count = 0;
  for (const { name, run, budget } of engine === "terraform" ? ofTerraform : ofPulumi) {
    const { schedules, failures } = await explore(run, budget);
    count += schedules;
    const [failure] = failures;
    if (failure !== undefined) {
      const { user, system } = process.cpuUsage(begin);
      console.log(describeFailure(failure));
      console.log(`found in ${name}, in schedule ${count}, after ${((user + system) / 1e6).toFixed(1)} s of CPU`);
      process.exit(1);
    }
  }
  process.exit(0);
}

void main(process.argv[2]);
