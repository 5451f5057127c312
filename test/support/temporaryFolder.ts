import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, onTestFinished, vi } from "vitest";

/** Makes a folder that is removed at the end of the test. */
export function temporaryFolder(): string {
  return newFolder(onTestFinished);
}

/** Makes a folder for this process's temporary files. Sets TMPDIR, which the test must reset. */
export function folderForTemporaryFiles(): string {
  const folder = temporaryFolder();
  vi.stubEnv("TMPDIR", folder);
  return folder;
}

/** Makes a folder that is removed after all tests of the file. */
export function folderOfFile(): string {
  return newFolder(afterAll);
}

function newFolder(after: (remove: () => void) => void): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "test-")));
  after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
  return folder;
}
