import type { SpawnOptions } from "node:child_process";
import { join, relative } from "node:path";
import { createInterface } from "node:readline";
import { stripVTControlCharacters } from "node:util";
import { PulumiDriver } from "../engines/pulumiDriver";
import type { EndedProcess } from "../processes/startProcess";
import { projectRoot } from "../projectRoot";
import { printLine } from "./printLine";
import type { QuickstartPlatform } from "./target";

const stackName = "demo";

/** The beginning of each resource's type. It is removed from the output, so that a row of the engine fits on a line. */
const typePrefix = "pulumi-nodejs:dynamic/docs-platform:";

/** The quickstart's stack, in one folder. The result of a run is its duration in seconds. */
export class PulumiQuickstart extends PulumiDriver<number> {
  /** The file to which a run writes the values for a deployment. */
  readonly valuesFile: string;

  /** @param signal ends the running command, as Ctrl-C does. */
  constructor(
    folder: string,
    target: QuickstartPlatform,
    private readonly passphrase: string,
    private readonly signal: AbortSignal,
  ) {
    super(folder, "docs", stackName);
    this.valuesFile = join(folder, "values.yaml");
    Object.assign(this.environment, {
      DOCS_PLATFORM_BASE_URL: target.baseUrl,
      DOCS_PLATFORM_API_KEY: target.apiKey,
      DOCS_PLATFORM_DOMAIN: target.domain,
    });
  }

  async create(): Promise<void> {
    await this.prepare(this.passphrase);
    this.writeProject({
      runtime: "nodejs",
      main: relative(this.folder, join(projectRoot, "examples", "quickstart")),
    });
    await this.#quiet("stack", "init", stackName);
    await this.#quiet("config", "set", "valuesFile", this.valuesFile);
  }

  async setRenewBefore(duration: string): Promise<void> {
    await this.#quiet("config", "set", "renewBefore", duration);
  }

  async pulumi(...commandLine: string[]): Promise<number> {
    const begin = Date.now();
    const shown = ["--suppress-progress", "--color", process.stdout.isTTY ? "always" : "never"];
    let gap = "";
    const show = (line: string) => {
      if (stripVTControlCharacters(line).trim() === "") {
        gap = "\n";
      } else {
        printLine(`${gap}${line.replaceAll(typePrefix, "").trimEnd()}`);
        gap = "";
      }
    };
    const { code } = await this.#untilEnd([...commandLine, ...shown], { stdio: ["ignore", "pipe", "inherit"] }, show);
    if (code !== 0) {
      throw new Error(`pulumi ${commandLine[0]} ended with ${code ?? "a signal"}; its own words are above`);
    }
    return (Date.now() - begin) / 1_000;
  }

  async outputs(): Promise<Record<string, string>> {
    return JSON.parse(await this.#quiet("stack", "output", "--json", "--show-secrets"));
  }

  /** Returns the job's id from the state, also after a failed run. */
  async jobId(): Promise<string | undefined> {
    return (await this.resources()).find(({ type }) => type.endsWith(":StaticExport"))?.id;
  }

  async #quiet(...commandLine: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.#untilEnd(commandLine);
    if (code !== 0) {
      throw new Error(stderr.trim() || `pulumi ${commandLine[0]} ended with ${code ?? "a signal"}`);
    }
    return stdout;
  }

  /** Uses a separate process group, because Pulumi would otherwise receive the terminal's Ctrl-C twice. */
  async #untilEnd(
    commandLine: readonly string[],
    options: SpawnOptions = {},
    show?: (line: string) => void,
  ): Promise<EndedProcess> {
    const { child, ended } = this.spawn(commandLine, { ...options, detached: true });
    if (show !== undefined && child.stdout !== null) {
      createInterface({ input: child.stdout }).on("line", show);
    }
    const interrupt = () => child.kill("SIGINT");
    this.signal.addEventListener("abort", interrupt);
    try {
      return await ended;
    } finally {
      this.signal.removeEventListener("abort", interrupt);
    }
  }
}
