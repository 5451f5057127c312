import { rmSync } from "node:fs";

const paths = new Set<string>();

/** Removes a file or folder also where the process ends before its maker can, as it does when its engine is gone. */
export function removeAtExit(path: string): { release(): void } {
  if (paths.size === 0) {
    process.once("exit", removeAll);
  }
  paths.add(path);
  return {
    release() {
      paths.delete(path);
      if (paths.size === 0) {
        process.removeListener("exit", removeAll);
      }
    },
  };
}

function removeAll(): void {
  for (const path of paths) {
    rmSync(path, { recursive: true, force: true });
  }
}
