import { seededRandom } from "../support/random";
import { sampled } from "./sampled";
import {
  type Budget,
  describeFailure,
  type Exploration,
  explore,
  type Failure,
  replay,
  type Telling,
} from "./schedule";
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
  /** Plays what has failed, after this number of schedules, once more, and returns the rules that it broke. */
  again: (failure: Failure, schedules: number) => Promise<readonly string[]>;
}

const workOf = ({ name, slow }: Pick<Work, "name" | "slow">, run: Telling, budget: Budget): Work => ({
  name,
  slow,
  explored: () => explore(run, budget),
  again: (failure) => replay(run, budget, failure),
});

const onPulumi = (script: Script): Work =>
  workOf(script, (schedule) => tell(script, schedule, surroundingsOf(script)), script.budget);

const onShared = ({ long, ...script }: SharedScript): Work =>
  workOf(script, (schedule) => tellOfShared({ ...script, ...long }, schedule), long?.budget ?? script.budget);

const onTerraform = (script: TerraformScript): Work =>
  workOf(script, (schedule) => tellOfTerraform(script, schedule), script.budget);

const onDrawn = (number: number): Work => {
  const told = () => tellDrawn(seededRandom(number), number);
  const explored = async (): Promise<Exploration> => {
    const { problems, story } = await told();
    const failures = problems.length > 0 ? [{ problems, story, runs: [] }] : [];
    return { schedules: 1, states: 0, disturbances: 0, isWhole: true, failures };
  };
  return { name: String(number), explored, again: async () => (await told()).problems };
};

const onSampled = (script: Script): Work => {
  const explored = (schedules = drawnSchedules) => sampled(script, schedules, 1);
  const again: Work["again"] = async (_, schedules) =>
    (await explored(schedules)).failures.flatMap((one) => one.problems);
  return { name: script.name, explored, again };
};

/** The explorations of each engine. */
const works: Readonly<Record<string, readonly Work[]>> = {
  pulumi: scripts.map(shortened).map(onPulumi),
  mirrors: [...[...mirrorScripts, ...siteScripts].map(shortened).map(onPulumi), ...sharedScripts.map(onShared)],
  terraform: terraformScripts.map(onTerraform),
  drawn: Array.from({ length: drawnStories }, (_, number) => onDrawn(number)),
  sampled: drawnScripts.map(onSampled),
};

/** The scripts that take long come last, and the one of this name first. */
function inOrder(all: readonly Work[], first: string): Work[] {
  const rank = ({ name, slow = false }: Work) => (name === first ? 0 : slow ? 2 : 1);
  return all.toSorted((one, other) => rank(one) - rank(other));
}

/** Plays what has failed, after this number of schedules, once more. */
export async function again(
  engine: string,
  name: string,
  failure: Failure,
  schedules: number,
): Promise<readonly string[]> {
  return works[engine]?.find((work) => work.name === name)?.again(failure, schedules) ?? [];
}

/**
 * Explores every script of one engine until a rule breaks that the provider without the bug keeps; then it ends with
 * code 1.
 * @param engine the engine of the scripts, `sampled` for drawn schedules, or `drawn` for drawn stories of Terraform.
 * @param first the script, or the number of the drawn story, that is explored before the others.
 * @param sound the bundle of this file with the provider as it is.
 */
async function main(engine = "pulumi", first = "", sound = ""): Promise<void> {
  const begin = process.cpuUsage();
  const seconds = () => {
    const { user, system } = process.cpuUsage(begin);
    return ((user + system) / 1e6).toFixed(1);
  };
  const asItIs: { again: typeof again } | undefined = sound === "" ? undefined : await import(sound);
  for (const { name, explored } of inOrder(works[engine] ?? [], first)) {
    const { schedules, states, failures } = await explored();
    console.log(`${name}: ${schedules} schedules, ${states} states; ${seconds()} s of CPU`);
    for (const failure of failures) {
      const alike = (await asItIs?.again(engine, name, failure, schedules)) ?? [];
      if (alike.length === 0) {
        console.log(describeFailure(failure));
        console.log(`found in "${name}", schedule ${schedules}, after ${seconds()} s of CPU`);
        process.exit(1);
      }
      console.log(`without the bug, too: ${alike.join("; ")}`);
    }
  }
  process.exit(0);
}

if (require.main === module) {
  void main(...process.argv.slice(2));
}
