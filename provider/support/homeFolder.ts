import { homedir } from "node:os";
import { join } from "node:path";

/**
 * Returns a path in this user's home folder; undefined if the system does not know the home folder, for example in a
 * container without HOME and without an entry for this user.
 */
export function pathInHome(...names: string[]): string | undefined {
  let home: string;
  try {
    home = homedir();
  } catch {
    return undefined;
  }
  return home === "" ? undefined : join(home, ...names);
}
