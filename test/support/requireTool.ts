import { executablesOnPath } from "../../tools/processes/executables";

/**
 * Says whether the machine has a tool that some tests need: `describe.skipIf(!requireTool("helm"))("…with helm")`.
 * Name the tool in the title, so that the report names what was skipped and why. With CI=true a lacking tool is a
 * failure: there, nothing may be skipped silently.
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
 * Asks for a tool that many machines lack, also machines with CI=true. Its tests are skipped there, and their titles
 * name the tool.
 */
export function hasTool(name: string): boolean {
  return executablesOnPath(name).length > 0;
}
