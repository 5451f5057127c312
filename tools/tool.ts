import { dirname } from "node:path";
import { catalogue } from "./toolchain/catalogue";
import { getTool } from "./toolchain/getTool";
import { Interrupted } from "./toolchain/interruptible";
import { printProgressLine } from "./toolchain/progress";

/** `npm run --silent tool -- <name>`: prints a tool's path. With `pulumi --folder`: the folder of the Pulumi CLI. */
async function main([wanted, flag]: readonly string[]): Promise<void> {
  try {
    const tool = catalogue.find(({ name }) => name === wanted);
    if (tool === undefined) {
      const names = catalogue.map(({ name }) => name).join(", ");
      throw new Error(
        `npm run --silent tool -- <name>: prints the path of a tool, and builds it the first time. Names: ${names}`,
      );
    }
    const file = await getTool(tool.name);
    process.stdout.write(`${flag === "--folder" ? dirname(file) : file}\n`);
  } catch (error) {
    process.exitCode = error instanceof Interrupted ? 130 : 1;
    printProgressLine(error instanceof Error ? error.message : String(error));
  }
}

void main(process.argv.slice(2));
