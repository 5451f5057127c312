import { chmodSync, copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type RunOptions, runTool, type ToolOutcome } from "../../tools/processes/runTool";
import { temporaryFolder } from "./temporaryFolder";

/**
 * A root folder that contains only the files that the test adds, so it has no shell and no C library. A process can
 * start in it only on Linux, as the user root.
 */
export class BareRoot {
  readonly folder = temporaryFolder();
  readonly environment: NodeJS.ProcessEnv = { HOME: "/home", PATH: "/bin", USER: "root" };

  constructor() {
    for (const name of ["bin", "home", "proc", "tmp", "project"]) {
      mkdirSync(join(this.folder, name));
    }
  }

  copy(from: string, to: string): void {
    const place = join(this.folder, to);
    mkdirSync(dirname(place), { recursive: true });
    copyFileSync(from, place);
    chmodSync(place, 0o755);
  }

  write(name: string, content: string): void {
    writeFileSync(join(this.folder, name), content);
  }

  run(...command: string[]): Promise<ToolOutcome> {
    const script = '/bin/mount -t proc proc "$0/proc" && exec /usr/sbin/chroot "$0" "$@"';
    const entered = ["--mount", "/bin/sh", "-c", script, this.folder, ...command];
    // The process must not get any variable of this process.
    const none = Object.fromEntries(Object.keys(process.env).map((name) => [name, undefined]));
    const options: RunOptions = { cwd: this.folder, env: { ...none, ...this.environment }, timeLimit: 240_000 };
    return runTool("/usr/bin/unshare", entered, options);
  }
}
