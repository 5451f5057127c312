import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { ConfigurationError } from "../provider/support/errors";

const name = "pulumi-docs-platform";

let isFound = false;

/**
 * Checks that the engine will find the provider. The engine requires this package from the program's folder. If only a
 * component depends on the package, the package manager may install it only in the component's folder. The engine then
 * does not find it.
 * @throws RunError if the package cannot be required.
 */
export function assertProviderPackageFound(): void {
  const project = projectFolder();
  const program = process.cwd();
  // `project` is empty in a unit test of the program: there is no engine, so nothing loads the provider.
  isFound ||= project === "" || resolvesFrom(program) || resolvesFrom(project);
  if (!isFound) {
    const happened = `the engine loads ${name} from the program's folder ${program}, and does not find it there`;
    const remedy = `add ${name} to the dependencies of the program in ${packageFileOf(program)}, install them, and run \`pulumi up\` again.`;
    throw new pulumi.RunError(new ConfigurationError([happened], remedy).message);
  }
}

/** Returns the folder of Pulumi.yaml; an empty text if there is no engine, or if the SDK does not know the folder. */
function projectFolder(): string {
  return "getRootDirectory" in pulumi ? pulumi.getRootDirectory() : "";
}

function resolvesFrom(folder: string): boolean {
  try {
    createRequire(join(folder, "program.js")).resolve(`${name}/provider`);
    return true;
  } catch {
    return false;
  }
}

function packageFileOf(program: string): string {
  let folder = program;
  while (!existsSync(join(folder, "package.json")) && folder !== dirname(folder)) {
    folder = dirname(folder);
  }
  return join(folder, "package.json");
}
