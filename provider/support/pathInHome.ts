import { homedir } from "node:os";
import { join } from "node:path";

/** Returns undefined if the system knows no home folder, as in a container without HOME and without this user. */
export function pathInHome(...names: string[]): string | undefined {
  let home: string;
  try {
    home = homedir();
  } catch {
    return undefined;
  }
  return home === "" ? undefined : join(home, ...names);
}
