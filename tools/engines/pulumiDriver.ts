import type { SpawnOptions } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { type StartedProcess, startProcess } from "../processes/startProcess";
import { findPulumi } from "../toolchain/findPulumi";

export interface StateResource {
  urn: string;
  type: string;
  id?: string;
  parent?: string;
  dependencies?: string[];
  propertyDependencies?: Record<string, string[] | null>;
  aliases?: string[];
  inputs: Record<string, unknown>;
  outputs: Record<string, unknown>;
  initErrors?: string[];
  delete?: boolean;
}

let found: Promise<string> | undefined;

/** Returns the folder of the Pulumi CLI that the project uses. Each process checks once that the CLI works. */
export function pulumiFolder(): Promise<string> {
  found ??= findPulumi();
  return found;
}

/** Prepares a home and a backend of Pulumi in `folder`. Returns the environment, which also prevents downloads. */
export async function pulumiEnvironment(folder: string, passphrase = "passphrase"): Promise<Record<string, string>> {
  mkdirSync(join(folder, "backend"), { recursive: true });
  return {
    PATH: `${await pulumiFolder()}${delimiter}${process.env.PATH ?? ""}`,
    PULUMI_HOME: join(folder, "home"),
    PULUMI_BACKEND_URL: `file://${folder}/backend`,
    PULUMI_CONFIG_PASSPHRASE: passphrase,
    PULUMI_SKIP_UPDATE_CHECK: "1",
    // An example may use another provider's package from node_modules, but needs no plugin of that provider.
    PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
  };
}

const unattended = ["--yes", "--skip-preview"];

/** A stack on the real engine. Its home, backend, state and project are in one folder. */
export abstract class PulumiDriver<Run> {
  /** These variables are added to the environment of each command. The value `undefined` removes a variable. */
  readonly environment: NodeJS.ProcessEnv = {};
  #command = "pulumi";

  /** @param folder the folder of the stack. A subclass may set another folder. */
  protected constructor(
    public folder: string,
    private readonly project: string,
    private readonly stack: string,
  ) {}

  protected async prepare(passphrase?: string): Promise<void> {
    this.#command = join(await pulumiFolder(), "pulumi");
    Object.assign(this.environment, await pulumiEnvironment(this.folder, passphrase), { PULUMI_STACK: this.stack });
  }

  /** @param content the content of the project file, except its name. */
  writeProject(content: object): void {
    writeFileSync(join(this.folder, "Pulumi.yaml"), JSON.stringify({ name: this.project, ...content }));
  }

  abstract pulumi(...commandLine: string[]): Promise<Run>;

  up(...flags: string[]): Promise<Run> {
    return this.pulumi("up", ...unattended, ...flags);
  }

  preview(...flags: string[]): Promise<Run> {
    return this.pulumi("preview", "--diff", ...flags);
  }

  /** Refreshes the state without a preview, so the engine reads each resource only once. */
  refresh(...flags: string[]): Promise<Run> {
    return this.pulumi("refresh", ...unattended, ...flags);
  }

  destroy(...flags: string[]): Promise<Run> {
    return this.pulumi("destroy", ...unattended, ...flags);
  }

  protected spawn(commandLine: readonly string[], options: SpawnOptions = {}): StartedProcess {
    const env = { ...process.env, ...this.environment };
    return startProcess(this.#command, commandLine, { cwd: this.folder, env, ...options });
  }

  get stateFile(): string {
    return join(this.folder, "backend", ".pulumi", "stacks", this.project, `${this.stack}.json`);
  }

  async resources(): Promise<StateResource[]> {
    return JSON.parse(readFileSync(this.stateFile, "utf8")).checkpoint.latest.resources ?? [];
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
