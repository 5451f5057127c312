import { cpSync } from "node:fs";
import { delimiter, join } from "node:path";
import { pulumiEnvironment } from "../../engines/pulumiDriver";
import { projectRoot } from "../../projectRoot";
import { servePluginPage } from "./pluginPage";
import type { Rehearsal } from "./rehearsal";
import { mustSucceed } from "./steps";

export function copyExample(rehearsal: Rehearsal, language: string, name = "program"): string {
  const folder = rehearsal.folder(`${language}/${name}`);
  cpSync(join(projectRoot, "examples", "languages", language), folder, { recursive: true });
  return folder;
}

/** @throws Error if a run fails, if the example starts more than one export, or if a second run changes something. */
export async function runExample(
  rehearsal: Rehearsal,
  language: string,
  folder: string,
  environment: NodeJS.ProcessEnv,
): Promise<void> {
  const page = await servePluginPage(rehearsal, `${language}/page`);
  const { PATH, ...home } = await pulumiEnvironment(rehearsal.folder(`${language}/home`));
  const path = [environment.PATH, PATH].filter((part) => part !== undefined).join(delimiter);
  const env = { ...home, ...page.environment, ...rehearsal.settings, ...environment, PATH: path };
  const { platform } = rehearsal;
  platform.resetCounts();
  await mustSucceed(["pulumi", "stack", "init", "test"], { cwd: folder, env });
  const up = ["pulumi", "up", "--yes", "--skip-preview", "--stack", "test"];
  await mustSucceed(up, { cwd: folder, env });
  await mustSucceed([...up, "--expect-no-changes"], { cwd: folder, env });
  if (platform.starts !== 1) {
    throw new Error(`the example in ${language} started ${platform.starts} exports, and not one`);
  }
}
