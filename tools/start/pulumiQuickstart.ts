import { readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { PulumiDriver } from "../engines/pulumiDriver";
import { projectRoot } from "../projectRoot";
import { CountedCommands } from "./countedCommands";
import { type CountedRun, type QuickstartStack, RunFailed } from "./quickstart";
import type { QuickstartPlatform } from "./target";

/** The quickstart's stack, whose backend, configuration and files all lie in one folder. */
export class PulumiQuickstart extends PulumiDriver<CountedRun> implements QuickstartStack {
  readonly commands = { up: "pulumi up", destroy: "pulumi destroy" };
  readonly valuesFile: string;
  readonly #counted: CountedCommands;
  readonly #passphrase: string;

  constructor(folder: string, target: QuickstartPlatform, passphrase: string, signal: AbortSignal) {
    super(folder, "docs-platform-quickstart", "quickstart");
    this.#passphrase = passphrase;
    this.#counted = new CountedCommands(join(folder, "requests.txt"), target, signal);
    this.valuesFile = join(folder, "values.yaml");
    // The event log has the cause of a failure. The display may have scrolled past it by then.
    Object.assign(this.environment, { PULUMI_DEBUG_COMMANDS: "1" }, this.#counted.environment);
  }

  async create(): Promise<void> {
    await this.prepare(this.#passphrase);
    this.writeProject({
      runtime: "nodejs",
      main: relative(this.folder, join(projectRoot, "examples", "quickstart")),
    });
    await this.#quiet("stack", "init", "quickstart");
    await this.#quiet("config", "set", "valuesFile", this.valuesFile);
  }

  async setRenewBefore(duration: string): Promise<void> {
    await this.#quiet("config", "set", "renewBefore", duration);
  }

  /** Runs a command whose output is shown to a person. */
  pulumi(...commandLine: string[]): Promise<CountedRun> {
    const eventLog = join(this.folder, "events.json");
    writeFileSync(eventLog, "");
    return this.#counted.show(
      (options) => this.spawn([...commandLine, "--event-log", eventLog], options),
      (code) => lastError(eventLog) ?? `pulumi ${commandLine[0]} ended with ${code ?? "a signal"}`,
    );
  }

  override destroy(): Promise<CountedRun> {
    return super.destroy("--remove");
  }

  async outputs(): Promise<Record<string, string>> {
    return JSON.parse(await this.#quiet("stack", "output", "--json", "--show-secrets"));
  }

  async jobId(): Promise<string | undefined> {
    return (await this.resources()).find(({ type }) => type.endsWith(":StaticExport"))?.id;
  }

  async #quiet(...commandLine: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.#counted.untilEnd((options) => this.spawn(commandLine, options));
    if (code !== 0) {
      throw new RunFailed(stderr.trim() || `pulumi ${commandLine[0]} ended with ${code ?? "a signal"}`);
    }
    return stdout;
  }
}

interface LoggedEvent {
  diagnosticEvent?: { severity: string; message: string; urn?: string };
}

/** The last error in an event log of the engine that names a resource, else the last error of all, without colours. */
function lastError(eventLog: string): string | undefined {
  const errors = readFileSync(eventLog, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line): LoggedEvent => JSON.parse(line))
    .flatMap(({ diagnosticEvent }) => (diagnosticEvent?.severity === "error" ? [diagnosticEvent] : []));
  const ofResource = errors.filter(({ urn }) => urn && !urn.includes("pulumi:pulumi:Stack"));
  return (ofResource.at(-1) ?? errors.at(-1))?.message.trim();
}
