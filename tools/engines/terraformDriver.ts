import type { SpawnOptions } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Started, startProcess } from "../processes/startProcess";

/** All that a state file has of a resource. */
export interface StateEntry {
  mode: string;
  type: string;
  name: string;
  instances: {
    attributes: Record<string, unknown>;
    status?: string;
    deposed?: string;
    index_key?: number | string;
  }[];
}

interface SavedState {
  outputs?: Record<string, { value: unknown } | undefined>;
  resources?: StateEntry[];
}

/** The provider's address in the configurations of tests and of `npm start`. */
export const providerSource = "example.com/docs/docsplatform";

/**
 * A configuration of its own on the real Terraform, or OpenTofu, whose files and state lie in one folder. Tests,
 * `npm start` and benchmarks say what a run of it tells them.
 */
export abstract class TerraformDriver<Run> {
  /** Added to the environment of each command; `undefined` removes a variable. */
  readonly environment: NodeJS.ProcessEnv;
  readonly #command: string;

  /** @param command what runs it. */
  protected constructor(
    readonly folder: string,
    command = "terraform",
  ) {
    this.#command = command;
    this.environment = {
      CHECKPOINT_DISABLE: "1",
      DOCS_PLATFORM_JOURNAL: join(folder, "journal"),
      TF_CLI_CONFIG_FILE: join(folder, "terraform.rc"),
    };
    writeFileSync(join(folder, "terraform.rc"), "");
  }

  /** Takes a provider from a folder, and nothing from a registry. */
  useProvider(folder: string, source = providerSource): void {
    const overrides = `dev_overrides {\n    "${source}" = "${folder}"\n  }`;
    writeFileSync(join(this.folder, "terraform.rc"), `provider_installation {\n  ${overrides}\n}\n`);
  }

  /** Runs a command to its end. */
  abstract run(...commandLine: string[]): Promise<Run>;

  apply(...flags: string[]): Promise<Run> {
    return this.run("apply", "-auto-approve", ...flags);
  }

  /** Exits with code 2 if there is something to do. */
  plan(...flags: string[]): Promise<Run> {
    return this.run("plan", "-detailed-exitcode", ...flags);
  }

  destroy(): Promise<Run> {
    return this.run("destroy", "-auto-approve");
  }

  protected spawn(commandLine: readonly string[], options: SpawnOptions = {}): Started {
    const env = { ...process.env, ...this.environment };
    return startProcess(this.#command, commandLine, { cwd: this.folder, env, ...options });
  }

  get stateFile(): string {
    return join(this.folder, "terraform.tfstate");
  }

  #saved(): SavedState {
    // A run that was killed may leave an empty file.
    const text = existsSync(this.stateFile) ? readFileSync(this.stateFile, "utf8") : "";
    return text === "" ? {} : JSON.parse(text);
  }

  /** The addresses of all resources of one type in the state file. */
  addresses(type: string): string[] {
    const { resources = [] } = this.#saved();
    return resources.filter((one) => one.type === type && one.mode === "managed").map(({ name }) => `${type}.${name}`);
  }

  /** A resource by its address. */
  stateOf(address: string): StateEntry | undefined {
    const { resources = [] } = this.#saved();
    return resources.find(({ mode, type, name }) => mode === "managed" && `${type}.${name}` === address);
  }

  /** An output in the state file. */
  output(name: string): unknown {
    return this.#saved().outputs?.[name]?.value;
  }
}
