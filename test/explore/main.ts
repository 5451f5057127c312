import { describeFailure, explore } from "./schedule";
import { scripts } from "./scripts";
import { tell } from "./story";
import { surroundingsOf } from "./surroundings";

/** Explores every script until one breaks a rule, and ends with 1 then. */
async function main(): Promise<void> {
  for (const script of scripts) {
    const found = await explore((schedule) => tell(script, schedule, surroundingsOf(script)), script.budget);
    const [failure] = found.failures;
    if (failure !== undefined) {
      console.log(`${script.name}: ${found.schedules} schedules\n${describeFailure(failure)}`);
      process.exit(1);
    }
  }
  process.exit(0);
}

void main();
