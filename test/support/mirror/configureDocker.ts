import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { vi } from "vitest";
import { temporaryFolder } from "../temporaryFolder";

export function configureDocker(configuration: unknown): string {
  const folder = temporaryFolder();
  const text = typeof configuration === "string" ? configuration : JSON.stringify(configuration);
  writeFileSync(join(folder, "config.json"), text);
  vi.stubEnv("DOCKER_CONFIG", folder);
  return folder;
}
