import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "../projectRoot";
import { PulumiQuickstart } from "./pulumiQuickstart";
import { runQuickstart } from "./quickstart";
import { chooseTarget } from "./target";

/** `npm start`: shows the project's main use, from an empty folder to a renewed link, by real `pulumi up` runs. */
async function main(): Promise<void> {
  const interruption = new AbortController();
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(name, () => {
      process.exitCode = 130;
      interruption.abort(new Error(`ended by ${name}`));
    });
  }
  const target = await chooseTarget(process.env);
  let folder: string | undefined;
  try {
    folder = mkdtempSync(join(projectRoot, ".quickstart-"));
    const passphrase = randomBytes(16).toString("hex");
    const stack = new PulumiQuickstart(folder, target, passphrase, interruption.signal);
    await runQuickstart(stack, target, interruption.signal);
  } finally {
    await target.close();
    if (folder !== undefined) {
      rmSync(folder, { recursive: true, force: true });
    }
  }
}

main().catch((error: unknown) => {
  process.exitCode ||= 1;
  console.error(`\nnpm start failed: ${error instanceof Error ? error.message : String(error)}`);
});
