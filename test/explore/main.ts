import { seededRandom } from "../support/random";
import { sampled } from "./sampled";
import { describeFailure, type Exploration, explore, type Failure, type Schedule } from "./schedule";
import { drawnScripts, longScripts, mirrorScripts, scripts, shortened, siteScripts } from "./scripts";
import { type SharedScript, sharedScripts, tellOfShared } from "./sharedPlace";
import { type Script, tell } from "./story";
import { surroundingsOf } from "./surroundings";
import { tellDrawn } from "./terraformDraws";
import { longTerraformScripts, terraformScripts } from "./terraformScripts";
import { tellOfTerraform } from "./terraformStory";

/** The number of stories, or of schedules of one script, in which a bug must show. */
const [drawnStories, drawnSchedules] = [3_000, 1_000];

interface Work {
  name: string;
  slow?: boolean | undefined;
  explored: () => Promise<Exploration>;
}

const onPulumi = (script: Script): Work => {
  const run = (schedule: Schedule) => tell(script, schedule, surroundingsOf(script));
  return { name: script.name, slow: script.slow, explored: () => explore(run, script.budget) };
};

const onShared = ({ long, ...script }: SharedScript): Work => {
  const run = (schedule: Schedule) => tellOfShared({ ...script, ...long }, schedule);
  return { name: script.name, slow: script.slow, explored: () => explore(run, long?.budget ?? script.budget) };
};

/** The scripts that take long come last. */
const slowLast = (one: Work, other: Work) => Number(one.slow ?? false) - Number(other.slow ?? false);
const allMirrors = [...mirrorScripts, ...siteScripts];

/** The explorations of each engine. The long form is for a run of some of them. */
const works: Readonly<Record<string, (isLong: boolean) => readonly Work[]>> = {
  pulumi: (isLong) => (isLong ? [...scripts, ...longScripts] : scripts.map(shortened)).map(onPulumi),
  mirrors: (isLong) =>
    [...(isLong ? allMirrors : allMirrors.map(shortened)).map(onPulumi), ...sharedScripts.map(onShared)].sort(slowLast),
  terraform: (isLong) =>
    [...terraformScripts, ...(isLong ? longTerraformScripts : [])].map((script) => ({
      name: script.name,
      explored: () => explore((schedule) => tellOfTerraform(script, schedule), script.budget),
    })),
  sampled: () =>
    drawnScripts.map((script) => ({ name: script.name, explored: () => sampled(script, drawnSchedules, 1) })),
};

/**
 * Explores every script of one engine until a rule breaks; then it ends with code 1.
 * @param engine the engine of the scripts, `sampled` for drawn schedules, or `drawn` for drawn stories of Terraform.
 * @param wanted explores only the scripts whose names contain this, in their long form.
 */
async function main(engine = "pulumi", wanted?: string): Promise<void> {
  const begin = process.cpuUsage();
  const seconds = () => {
    const { user, system } = process.cpuUsage(begin);
    return ((user + system) / 1e6).toFixed(1);
  };
  const end = (failure: Failure, where: string) => {
    console.log(describeFailure(failure));
    console.log(`found in ${where}, after ${seconds()} s of CPU`);
    process.exit(1);
  };
  for (let count = 0; engine === "drawn" && count < drawnStories; count++) {
    const { problems, story } = await tellDrawn(seededRandom(count), count);
    if (problems.length > 0) {
      end({ problems, story, runs: [] }, `drawn story ${count}`);
    }
  }
  let count = 0;
  for (const { name, explored } of works[engine]?.(wanted !== undefined) ?? []) {
    if (name.includes(wanted ?? "")) {
      const { schedules, states, disturbances, failures } = await explored();
      count += schedules;
      console.log(
        `${name}: ${schedules} schedules, ${states} states, ${disturbances} disturbances; ${seconds()} s of CPU`,
      );
      for (const failure of failures) {
        end(failure, `${name}, in schedule ${count}`);
      }
    }
  }
  process.exit(0);
}

void main(...process.argv.slice(2));
