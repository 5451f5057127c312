import { describeFailure, explore } from "./schedule";
import { suites } from "./suites";

async function main(name = "two runs"): Promise<void> {
  const found = Object.values(suites)
    .flat()
    .find((script) => script.name === name);
  if (found === undefined) {
    throw new Error(`there is no script "${name}"`);
  }
  const { schedules, failure } = await explore(found.play, found.budget);
  if (failure !== undefined) {
    console.log(describeFailure(failure));
    console.log(`found in "${name}", schedule ${schedules}`);
  }
  process.exit(failure === undefined ? 0 : 1);
}

void main(process.argv[2]);
