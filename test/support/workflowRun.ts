import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { type Ended, startProcess } from "../../tools/processes/startProcess";

interface Job {
  steps: { run?: string; env?: Record<string, string> }[];
  env?: Record<string, string>;
}

/** The values of `${{ vars.NAME }}` and so on. A name without a value is an empty text, as on GitHub. */
export type Contexts = Readonly<Record<string, Readonly<Record<string, string>>>>;

/**
 * Runs the commands of a workflow of GitHub Actions. It does only the part of a runner's work that steps with a `run`
 * need.
 */
export class WorkflowRunner {
  /**
   * @param folder a folder for this runner, with the checked-out project in `checkout`. It is also the runner's
   * temporary folder.
   */
  constructor(
    readonly folder: string,
    readonly environment: NodeJS.ProcessEnv,
    readonly settings: Contexts,
  ) {}

  /**
   * Runs two jobs: `build` leaves the project as an artifact, and the other job uses it.
   * @param inPlaceOf commands, each with the command that replaces it.
   * @throws Error if a step fails.
   */
  async run(file: string, job: string, given: Contexts, inPlaceOf: Readonly<Record<string, string>>): Promise<void> {
    const { jobs }: { jobs: Record<string, Job> } = parse(readFileSync(file, "utf8"));
    const contexts = { ...this.settings, ...given };
    for (const name of ["build", job]) {
      const workspace = join(this.folder, name);
      rmSync(workspace, { recursive: true, force: true });
      if (name === "build") {
        cpSync(join(this.folder, "checkout"), workspace, { recursive: true, verbatimSymlinks: true });
      } else {
        mkdirSync(workspace);
        cpSync(join(this.folder, "project.tgz"), join(workspace, "project.tgz"));
      }
      const { steps, env = {} } = jobs[name] ?? { steps: [] };
      for (const { run = "", env: own = {} } of steps) {
        const script = Object.entries(inPlaceOf).reduce((text, [from, to]) => text.replaceAll(from, to), run);
        const { code, output } = await this.#step(workspace, script, { ...env, ...own }, contexts);
        if (code !== 0) {
          throw new Error(`${run}\n${output}`);
        }
      }
    }
  }

  #step(cwd: string, script: string, given: Readonly<Record<string, string>>, contexts: Contexts): Promise<Ended> {
    const filled = Object.entries(given).map(([name, text]) => {
      const found = (_: string, context: string, key: string) => contexts[context]?.[key] ?? "";
      return [name, text.replace(/\$\{\{ (\w+)\.(\w+) \}\}/g, found)];
    });
    const file = join(this.folder, "step.sh");
    writeFileSync(file, script);
    const ofRunner = { RUNNER_TEMP: this.folder, GITHUB_SHA: contexts.github?.sha };
    const env = { ...this.environment, ...ofRunner, ...Object.fromEntries(filled) };
    return startProcess("bash", ["-e", file], { cwd, env }).ended;
  }
}
