import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

function mount(options: string): { folder: string; end(): void } {
  const folder = mkdtempSync(join(tmpdir(), "mirror-mount-"));
  const end = () => rmSync(folder, { recursive: true, force: true });
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", options, "tmpfs", folder], { stdio: "ignore" });
  } catch (error) {
    end();
    throw error;
  }
  return {
    folder,
    end() {
      execFileSync("umount", [folder]);
      end();
    },
  };
}

/** True if this user may mount a file system. */
export function canMount(): boolean {
  try {
    mount("size=1m").end();
    return true;
  } catch {
    return false;
  }
}

/** A small file system of its own with options of `mount`, until the test ends. */
export function mounted(options: string): string {
  const { folder, end } = mount(options);
  onTestFinished(end);
  return folder;
}
