import { seededRandom } from "../support/random";
import { sampled } from "./sampled";
import { describeFailure, type Exploration, explore, type Failure, type Schedule } from "./schedule";
import { drawnScripts, mirrorScripts, scripts, shortened, siteScripts } from "./scripts";
import { type SharedScript, sharedScripts, tellOfShared } from "./sharedPlace";
import { type Script, tell } from "./story";
import { surroundingsOf } from "./surroundings";
import { tellDrawn } from "./terraformDraws";
import { terraformScripts } from "./terraformScripts";
import { type TerraformScript, tellOfTerraform } from "./terraformStory";

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

const onTerraform = (script: TerraformScript): Work => {
  const run = (schedule: Schedule) => tellOfTerraform(script, schedule);
  return { name: script.name, slow: script.slow, explored: () => explore(run, script.budget) };
};

/** The explorations of each engine. */
const works: Readonly<Record<string, readonly Work[]>> = {
  pulumi: scripts.map(shortened).map(onPulumi),
  mirrors: [...[...mirrorScripts, ...siteScripts].map(shortened).map(onPulumi), ...sharedScripts.map(onShared)],
  terraform: terraformScripts.map(onTerraform),
  sampled: drawnScripts.map((script) => ({
    name: script.name,
    explored: () => sampled(script, drawnSchedules, 1),
  })),
};

/** The scripts that take long come last, and the one of this name first. */
function inOrder(all: readonly Work[], first: string): Work[] {
  const rank = ({ name, slow = false }: Work) => (name === first ? 0 : slow ? 2 : 1);
  return all.toSorted((one, other) => rank(one) - rank(other));
}

/**
 * Explores every script of one engine until a rule breaks; then it ends with code 1.
 * @param engine the engine of the scripts, `sampled` for drawn schedules, or `drawn` for drawn stories of Terraform.
 * @param first the script, or the number of the drawn story, that is explored before the others.
 */
async function main(engine = "pulumi", first = ""): Promise<void> {
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
  const stories = engine === "drawn" ? [Number(first), ...Array(drawnStories).keys()] : [];
  for (const number of stories) {
    const { problems, story } = await tellDrawn(seededRandom(number), number);
    if (problems.length > 0) {
      end({ problems, story, runs: [] }, `story ${number}`);
    }
  }
  for (const { name, explored } of inOrder(works[engine] ?? [], first)) {
    const { schedules, states, failures } = await explored();
    console.log(`${name}: ${schedules} schedules, ${states} states; ${seconds()} s of CPU`);
    for (const failure of failures) {
      end(failure, `"${name}", schedule ${schedules}`);
    }
  }
  process.exit(0);
}

void main(...process.argv.slice(2));
