import { findPulumi } from "./toolchain/findPulumi";
import { Interrupted } from "./toolchain/interrupt";
import { say } from "./toolchain/progress";

/** Prints the folder of the Pulumi command line that the project uses, and nothing else, on standard output. */
async function main(): Promise<void> {
  try {
    process.stdout.write(`${await findPulumi()}\n`);
  } catch (error) {
    process.exitCode = error instanceof Interrupted ? 130 : 1;
    say(error instanceof Error ? error.message : String(error));
  }
}

void main();
