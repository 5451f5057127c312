import { executablesOnPath } from "../../tools/processes/executables";

/**
 * Returns true if the machine has a tool that some tests need. Use it as `describe.skipIf(!requireTool("helm"))`, and
 * name the tool in the title, so that the report shows the reason.
 * @throws Error if the tool is missing and CI=true, because in CI these tests must run.
 */
export function requireTool(name: string): boolean {
  const found = hasTool(name);
  if (!found && process.env.CI === "true") {
    throw new Error(`this machine lacks the tool "${name}", and with CI=true no test may be skipped for that`);
  }
  return found;
}

/** Unlike `requireTool`, never throws. It is for tools that machines with CI=true often lack. */
export function hasTool(name: string): boolean {
  return executablesOnPath(name).length > 0;
}
