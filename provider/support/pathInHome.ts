import { homedir } from "node:os";
import { join } from "node:path";

/**
 * Returns a path in this user's home folder; undefined if the system does not know the home folder, for example in a
 * container in which HOME is not set and /etc/passwd does not contain this user.
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
