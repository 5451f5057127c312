import { execFileSync, spawnSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmdirSync, rmSync } from "node:fs";
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

export function canMount(): boolean {
  try {
    mount("size=1m").end();
    return true;
  } catch {
    return false;
  }
}

/** @param options the options of `mount`. */
export function mounted(options: string): string {
  const { folder, end } = mount(options);
  onTestFinished(end);
  return folder;
}

/** Mounts a file system whose server never answers. Every call in its folder hangs until `end`. */
function mountHung(): { folder: string; end(): void } {
  const folder = mkdtempSync(join(tmpdir(), "hung-mount-"));
  const server = openSync("/dev/fuse", "r+");
  const options = "fd=3,rootmode=40000,user_id=0,group_id=0";
  const { status } = spawnSync("mount", ["-i", "-t", "fuse", "-o", options, "hung", folder], {
    stdio: ["ignore", "ignore", "ignore", server],
  });
  const end = () => {
    closeSync(server);
    spawnSync("umount", ["--lazy", folder], { stdio: "ignore" });
    rmdirSync(folder);
  };
  if (status !== 0) {
    end();
    throw new Error("FUSE cannot be used");
  }
  return { folder, end };
}

export function canMountHung(): boolean {
  try {
    mountHung().end();
    return true;
  } catch {
    return false;
  }
}

export function hungFolder(): string {
  const { folder, end } = mountHung();
  onTestFinished(end);
  return folder;
}
