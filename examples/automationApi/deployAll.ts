import { readFileSync } from "node:fs";
import { join } from "node:path";
import { LocalWorkspace } from "@pulumi/pulumi/automation";

/** The domain of each stack. */
const sites: Record<string, string> = JSON.parse(readFileSync(join(__dirname, "sites.json"), "utf8"));
/** An update mostly waits, so several updates run at the same time. */
const atOnce = 4;

/** Brings one stack up to date: starts its export, renews its link, or finds nothing to do. */
async function deploy(stackName: string, domain: string): Promise<string> {
  // The program lies beside this file, so that the provider's process finds the package from there.
  const stack = await LocalWorkspace.createOrSelectStack({ stackName, workDir: __dirname });
  await stack.setConfig("domain", { value: domain });
  const { summary, outputs } = await stack.up({ color: "never" });
  const { create = 0, update = 0, same = 0 } = summary.resourceChanges ?? {};
  return `${create} created, ${update} updated, ${same} unchanged; version ${outputs.version?.value}`;
}

async function main(): Promise<void> {
  const queue = Object.entries(sites);
  const worker = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const [stackName, domain] = next;
      try {
        console.log(`${stackName}: ${await deploy(stackName, domain)}`);
      } catch (error) {
        // A failed site does not stop the others. Its job continues, and the next run waits for it.
        process.exitCode = 1;
        console.error(`${stackName}: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

main();
