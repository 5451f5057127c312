import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  export interface ProvidedContext {
    /** The folder for files that several test files share. It is removed after the run. */
    runFolder: string;
  }
}

export default function setup({ provide }: TestProject): () => void {
  const folder = mkdtempSync(join(tmpdir(), "test-run-"));
  provide("runFolder", folder);
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
}
