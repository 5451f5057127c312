import { seededRandom } from "../support/random";
import { describeFailure, explore, type Schedule } from "./schedule";
import { longScripts, mirrorScripts, scripts, shortened, siteScripts } from "./scripts";
import { sharedScripts, tellOfShared } from "./sharedPlace";
import { tell } from "./story";
import { surroundingsOf } from "./surroundings";
import { tellDrawn } from "./terraformDraws";
import { terraformScripts } from "./terraformScripts";
import { tellOfTerraform } from "./terraformStory";

/** The number of stories in which a bug must show. */
const drawnStories = 3_000;

/**
 * Explores every script of one engine in its short form until a rule breaks; then it ends with code 1.
 * @param engine the engine of the scripts, or `drawn` for drawn stories of Terraform.
 * @param wanted explores only the scripts whose names contain this, in their long form.
 */
async function main(engine = "pulumi", wanted?: string): Promise<void> {
  const chosen =
    engine === "mirrors"
      ? [...mirrorScripts, ...siteScripts].map(wanted === undefined ? shortened : (script) => script)
      : wanted === undefined
        ? scripts.map(shortened)
        : [...scripts, ...longScripts];
  const ofPulumi = chosen.map((script) => {
    const run = (schedule: Schedule) => tell(script, schedule, surroundingsOf(script));
    return { ...script, run };
  });
  const ofTerraform = terraformScripts.map((script) => {
    const run = (schedule: Schedule) => tellOfTerraform(script, schedule);
    return { ...script, run };
  });
  const ofTwoStacks = engine === "mirrors" ? sharedScripts.map((script) => ({ ...script, ...script.long })) : [];
  const shared = ofTwoStacks.map((script) => ({
    ...script,
    run: (schedule: Schedule) => tellOfShared(script, schedule),
  }));
  const begin = process.cpuUsage();
  const seconds = () => {
    const { user, system } = process.cpuUsage(begin);
    return ((user + system) / 1e6).toFixed(1);
  };
  let count = 0;
  for (; engine === "drawn" && count < drawnStories; count++) {
    const { problems, story } = await tellDrawn(seededRandom(count), count);
    if (problems.length > 0) {
      console.log(describeFailure({ problems, story, runs: [] }));
      console.log(`found in drawn story ${count}, after ${seconds()} s of CPU`);
      process.exit(1);
    }
  }
  for (const { name, run, budget } of engine === "terraform"
    ? ofTerraform
    : engine === "drawn"
      ? []
      : [...ofPulumi, ...shared]) {
    if (!name.includes(wanted ?? "")) {
      continue;
    }
    const { schedules, states, disturbances, failures } = await explore(run, budget);
    count += schedules;
    console.log(
      `${name}: ${schedules} schedules, ${states} states, ${disturbances} disturbances; ${seconds()} s of CPU`,
    );
    const [failure] = failures;
    if (failure !== undefined) {
      console.log(describeFailure(failure));
      console.log(`found in ${name}, in schedule ${count}, after ${seconds()} s of CPU`);
      process.exit(1);
    }
  }
  process.exit(0);
}

void main(...process.argv.slice(2));
