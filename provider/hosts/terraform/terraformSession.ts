import { AsyncLocalStorage } from "node:async_hooks";
import { createHash } from "node:crypto";
import { readFileSync, realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import { type HandOver, Session, type Standing } from "../../engine/session";
import type { World } from "../../engine/world";
import { processEngine } from "../../journal/owner";
import { type Diagnostic, severity } from "./wire/messages";

/** What a call has to tell beside its answer. */
export type Diagnostics = Diagnostic[];

/** Shows a line while a call is at work. */
type Progress = (text: string) => void;

type Level = "debug" | "info" | "warn";

/** The call that is at work. One for all sessions: each costs every promise of the process a moment. */
const calls = new AsyncLocalStorage<{ diagnostics: Diagnostics; progress?: Progress | undefined }>();

/** Where Terraform runs: its environment, and the folder of the configuration. */
export interface Workplace {
  readonly environment: NodeJS.ProcessEnv;
  readonly folder: string;
}

/** What a process knows of the Terraform process that it serves. */
export class TerraformSession extends Session {
  override readonly planBinds = true;
  override readonly sharesAddresses = true;
  /** Whether this process applies a plan, as far as Terraform tells: OpenTofu tells nothing. */
  applies = false;
  readonly #engine = processEngine(process.ppid);

  constructor(
    world?: World,
    readonly workplace: Workplace = { environment: process.env, folder: "." },
  ) {
    super(world);
  }

  /**
   * Runs one call of Terraform: its warnings go into `diagnostics`.
   * @param progress is told how the call stands, where Terraform shows that.
   */
  during<T>(diagnostics: Diagnostics, call: () => T, progress?: Progress): T {
    return calls.run({ diagnostics, progress }, call);
  }

  /** Of a resource Terraform shows no progress but its own. */
  status(_: string | undefined, text: string): void {
    this.log("info", text);
    calls.getStore()?.progress?.(text);
  }

  /** Terraform shows nothing of a provider that is no warning. */
  info(address: string | undefined, text: string): void {
    this.warn(address, text);
  }

  /** It belongs to the plan: the apply has nothing to add. */
  override reason(address: string | undefined, text: string): void {
    if (this.applies) {
      this.log("info", text);
    } else {
      this.warn(address, text);
    }
  }

  warn(_: string | undefined, text: string): void {
    const [summary, ...detail] = text.split(": ");
    calls.getStore()?.diagnostics.push({ severity: severity.warning, summary, detail: detail.join(": ") });
    this.log("warn", text);
  }

  debug(_: string | undefined, text: string): void {
    this.log("debug", text);
  }

  engineAddress(): string | undefined {
    return this.#engine;
  }

  /** Terraform hands its state to no provider, and may keep it on another machine: what was handed over counts as saved. */
  async standing(): Promise<Standing> {
    return "gone";
  }

  /** Nothing tells this process how the run ends. What has failed is tainted, and goes on in the next create. */
  override async handOver(hasFailed: boolean, record: (how: HandOver) => Promise<void>): Promise<void> {
    await record(hasFailed ? { answered: true } : { handedOver: true });
  }

  /** Nothing tells this process that what it has answered is saved: the entry stays until the next plan shows it. */
  watchEnd(): void {}

  /** Writes a line of Terraform's log, as `TF_LOG_PROVIDER` shows it; its time has exactly six decimals. */
  protected log(level: Level, text: string): void {
    const time = new Date().toISOString().replace(/(\.\d{3})Z$/, "$1000Z");
    const line = { "@level": level, "@message": text, "@module": "docsplatform", "@timestamp": time };
    process.stderr.write(`${JSON.stringify(line)}\n`);
  }
}

/**
 * What tells this configuration from others: Terraform tells no provider the address of a resource. The same configuration in
 * the same workspace has the same in every run: on this machine, or, by its scope, wherever it runs.
 */
export function workspaceAddress(type: string, scope: string | undefined, workplace: Workplace): string {
  const { environment, folder } = workplace;
  const { TF_WORKSPACE: named = "", TF_DATA_DIR: data = ".terraform" } = environment;
  const place = scope === undefined ? [realpathSync(folder)] : ["scope", scope];
  const workspace = named.trim() || chosenWorkspace(resolve(folder, data)) || "default";
  const digest = createHash("sha256").update(JSON.stringify([...place, workspace]));
  return `terraform ${type} ${digest.digest("hex").slice(0, 32)}`;
}

function chosenWorkspace(data: string): string {
  try {
    return readFileSync(join(data, "environment"), "utf8").trim();
  } catch {
    return "";
  }
}
