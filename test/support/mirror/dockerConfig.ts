import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { vi } from "vitest";
import { temporaryFolder } from "../temporaryFolder";

/** Sets the Docker configuration of the test. */
export function configureDocker(configuration: unknown): string {
  const folder = temporaryFolder();
  const text = typeof configuration === "string" ? configuration : JSON.stringify(configuration);
  writeFileSync(join(folder, "config.json"), text);
  vi.stubEnv("DOCKER_CONFIG", folder);
  return folder;
}
