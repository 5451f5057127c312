import { seededRandom } from "../support/random";
import { type Exploration, type Failure, rulesOf, type Schedule, sample, shrink } from "./schedule";
import { ModelStore } from "./store";
import { type Script, tell } from "./story";
import { surroundingsOf } from "./surroundings";

/** The number of schedules in which fewer resources must break the same rule. */
const tries = 200;

/** Draws schedules of a script. A failing one is made short: fewer resources, fewer commands, fewer disturbances. */
export async function sampled(script: Script, count: number, seed: number, store = ModelStore): Promise<Exploration> {
  const draw = (drawn: Script, schedules: number) =>
    sample(
      (schedule) => tell(drawn, schedule, surroundingsOf(drawn, store)),
      drawn.budget,
      schedules,
      seededRandom(seed),
    );
  const found = await draw(script, count);
  const shorten = async (failure: Failure): Promise<Failure> => {
    const rules = rulesOf(failure);
    const isSame = (other: Failure) => rulesOf(other).some((rule) => rules.includes(rule));
    let best = { script, failure };
    for (let left = withoutOne(script); left.length > 0; ) {
      const [simpler = script] = left.splice(0, 1);
      const [again] = (await draw(simpler, tries)).failures;
      if (again !== undefined && isSame(again)) {
        best = { script: simpler, failure: again };
        left = withoutOne(simpler);
      }
    }
    const run = (commands: Script["commands"], schedule: Schedule) => {
      const shorter = { ...best.script, commands };
      return tell(shorter, schedule, surroundingsOf(shorter, store));
    };
    return shrink(run, best.script.commands, best.script.budget, best.failure);
  };
  return { ...found, failures: await Promise.all(found.failures.map(shorten)) };
}

/** The script with one resource less. What takes the job of another one goes with it. */
function withoutOne({ program = [], ...script }: Script): Script[] {
  const rests = program.map(({ name }) => program.filter((one) => one.name !== name && one.of !== name));
  return rests.filter((rest) => rest.length > 0).map((rest) => ({ ...script, program: rest }));
}
