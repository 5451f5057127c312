import { executablesOnPath } from "../../tools/processes/executables";

/**
 * Returns true if the machine has a tool that some tests need: `describe.skipIf(!requireTool("helm"))("…with helm")`.
 * Name the tool in the title, so that the report says what was skipped and why. With CI=true, a missing tool is a
 * failure, because no test may be skipped there.
 *
 * @throws Error that names the tool, with CI=true.
 */
export function requireTool(name: string): boolean {
  const found = hasTool(name);
  if (!found && process.env.CI === "true") {
    throw new Error(`this machine lacks the tool "${name}", and with CI=true no test may be skipped for that`);
  }
  return found;
}

/**
 * Returns true if the machine has a tool that is often missing, also on machines with CI=true. Its tests are skipped
 * there, and their titles name the tool.
 */
export function hasTool(name: string): boolean {
  return executablesOnPath(name).length > 0;
}
