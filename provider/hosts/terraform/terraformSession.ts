import { AsyncLocalStorage } from "node:async_hooks";
import { createHash } from "node:crypto";
import { readFileSync, realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import { Session, type Standing } from "../../engine/session";
import type { World } from "../../engine/world";
import { type Diagnostic, severity } from "./wire/messages";

/** The warnings and errors of a call, which go beside its answer. */
export type Diagnostics = Diagnostic[];

/** Shows a line while a call is at work. */
type Progress = (text: string) => void;

type Level = "debug" | "info" | "warn";

/** The call that is at work. All sessions share one store, since each store slows down every promise of the process. */
const calls = new AsyncLocalStorage<{ diagnostics: Diagnostics; progress?: Progress | undefined }>();

/** Where Terraform runs: its environment, and the folder of the configuration. */
export interface Workplace {
  readonly environment: NodeJS.ProcessEnv;
  readonly folder: string;
}

/** The facts about the Terraform process that this process serves. */
export class TerraformSession extends Session {
  override readonly planBinds = true;
  override readonly sharesAddresses = true;
  /** True if this process applies a plan and Terraform tells so. OpenTofu does not tell this. */
  applies = false;
  readonly #engine = this.world.parent();

  constructor(
    world?: World,
    readonly workplace: Workplace = { environment: process.env, folder: "." },
  ) {
    super(world);
  }

  /**
   * Runs one call of Terraform. Its warnings go into `diagnostics`.
   * @param progress receives the status of the call, if Terraform shows it.
   */
  during<T>(diagnostics: Diagnostics, call: () => T, progress?: Progress): T {
    return calls.run({ diagnostics, progress }, call);
  }

  /** For a resource, Terraform shows no progress except its own. */
  status(_: string | undefined, text: string): void {
    this.log("info", text);
    calls.getStore()?.progress?.(text);
  }

  /** Warns, since Terraform shows no other text of a provider. */
  info(address: string | undefined, text: string): void {
    this.warn(address, text);
  }

  /** Warns in a plan. The apply only writes to the log, since the plan has shown the reason. */
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

  /**
   * Returns "gone": Terraform shows its state to no provider, and may keep it on another machine. So what was handed
   * over counts as saved.
   */
  async standing(): Promise<Standing> {
    return "gone";
  }

  /** Does nothing: Terraform ends a provider by a call. */
  watchEnd(): void {}

  /** Writes a line of Terraform's log, which `TF_LOG_PROVIDER` shows. The time must have exactly six decimals. */
  protected log(level: Level, text: string): void {
    const time = new Date().toISOString().replace(/(\.\d{3})Z$/, "$1000Z");
    const line = { "@level": level, "@message": text, "@module": "docsplatform", "@timestamp": time };
    openLog().write(`${JSON.stringify(line)}\n`);
  }
}

let opened: NodeJS.WriteStream | undefined;

/** Opens the log at its first line: most processes write none, and to open it takes a twentieth of their start. */
function openLog(): NodeJS.WriteStream {
  // The reader of the log may be gone before the last answer is written to the journal.
  opened ??= process.stderr.on("error", () => {});
  return opened;
}

/**
 * Returns an address that distinguishes this configuration from others, since Terraform tells no provider the address
 * of a resource. A configuration has the same address in all runs in the same workspace: on this machine, or, if it has
 * a scope, on every machine.
 */
export function workspaceAddress(type: string, scope: string | undefined, workplace: Workplace): string {
  const { environment, folder } = workplace;
  const { TF_WORKSPACE: named = "", TF_DATA_DIR: data = ".terraform" } = environment;
  const place = scope === undefined ? [realpathSync(folder)] : ["scope", scope];
  const chosen = named.trim() || chosenWorkspace(resolve(folder, data));
  // The workspace that nobody has chosen.
  const workspace = chosen === "default" ? "" : chosen;
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
