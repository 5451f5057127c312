import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { EngineStack } from "./engineStack";

/** The longest time to wait for the wanted screen, in milliseconds. */
const patience = 60_000;

/** In milliseconds. The engine draws only once a second, so the old screen stays for a while, cut at the new width. */
const redrawTime = 1_500;

export interface Terminal {
  /** Sets the width, waits until the screen matches the pattern, and returns the screen without colours. */
  show(width: number, pattern: RegExp): Promise<string>;
}

/** Runs `pulumi` in a terminal of tmux. The terminal is closed when `use` has ended. */
export async function inTerminal(
  stack: EngineStack,
  commandLine: string,
  use: (terminal: Terminal) => Promise<void>,
): Promise<void> {
  const env = { ...process.env, ...stack.environment, TERM: "xterm-256color", LC_ALL: "C.UTF-8" };
  const tmux = (...args: string[]) =>
    execFileSync("tmux", ["-S", join(stack.folder, "tmux"), ...args], { cwd: stack.folder, env, encoding: "utf8" });
  // The program uses the terminal's alternate screen. The normal screen wraps lines anew when the width changes.
  // After `pulumi` has ended, `cat` keeps the terminal open with the last screen.
  const command = `printf '\\033[?1049h'; pulumi ${commandLine}; echo ended $?; cat`;
  tmux("-f", "/dev/null", "new-session", "-d", "-y", "40", command);
  try {
    await use({
      async show(width, pattern) {
        tmux("resize-window", "-x", `${width}`);
        await sleep(redrawTime);
        for (const begin = Date.now(); Date.now() - begin < patience; await sleep(50)) {
          const screen = tmux("capture-pane", "-p");
          if (pattern.test(screen)) {
            return screen;
          }
        }
        throw new Error(`no screen fits ${pattern}; the last one:\n${tmux("capture-pane", "-p")}`);
      },
    });
  } finally {
    tmux("kill-server");
  }
}
