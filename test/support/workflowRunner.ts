import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { type EndedProcess, startProcess } from "../../tools/processes/startProcess";

interface Job {
  steps: { run?: string; env?: Record<string, string> }[];
  env?: Record<string, string>;
}

/** The values of expressions such as `${{ vars.NAME }}`. As on GitHub, a missing value is an empty text. */
export type Contexts = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Runs the `run` steps of a GitHub Actions workflow on this machine. It ignores other steps. */
export class WorkflowRunner {
  /** @param folder the folder for temporary files. Its subfolder `checkout` must contain the project. */
  constructor(
    readonly folder: string,
    readonly environment: NodeJS.ProcessEnv,
    readonly settings: Contexts,
  ) {}

  /** Runs `build`, which packs the project, then `job`. `inPlaceOf` maps a command to the command that replaces it. */
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

  #step(
    cwd: string,
    script: string,
    given: Readonly<Record<string, string>>,
    contexts: Contexts,
  ): Promise<EndedProcess> {
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
