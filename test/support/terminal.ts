import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { EngineStack } from "./engineStack";

/** The longest wait for a screen; milliseconds. */
const patience = 60_000;

/**
 * The engine draws once a second. Until then, a terminal with a new width shows the old screen, cut off. Milliseconds.
 */
const redrawTime = 1_500;

/** A real terminal. Its screen can be read, and its width changed. */
export interface Terminal {
  /**
   * Sets the width and waits for a screen that fits.
   * @returns the screen without colours.
   * @throws Error with the last screen if none fits in time.
   */
  show(width: number, pattern: RegExp): Promise<string>;
}

/** Runs `pulumi` in a terminal of tmux, which ends when it is disposed. */
export async function inTerminal(
  stack: EngineStack,
  commandLine: string,
  use: (terminal: Terminal) => Promise<void>,
): Promise<void> {
  const env = { ...process.env, ...stack.environment, TERM: "xterm-256color", LC_ALL: "C.UTF-8" };
  const tmux = (...args: string[]) =>
    execFileSync("tmux", ["-S", join(stack.folder, "tmux"), ...args], { cwd: stack.folder, env, encoding: "utf8" });
  // On the alternate screen, a line stays whole if the width changes. The last screen stays readable.
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
