import { AsyncLocalStorage } from "node:async_hooks";
import { readFileSync, realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import type { RuntimeDependencies } from "../../engine/runtime";
import { type JobPresenceInState, type LogMessageKind, Session } from "../../engine/session";
import { digest } from "../../journal/journal";
import type { CheckedSettings } from "../../settings/settings";
import { type Diagnostic, severity } from "./wire/messages";

type Progress = (text: string) => void;

/** The data of the running call. All sessions share one store, because each store slows down every promise. */
const calls = new AsyncLocalStorage<{ diagnostics: Diagnostic[]; progress?: Progress | undefined }>();

export interface WorkingFolderAndEnvironment {
  readonly environment: NodeJS.ProcessEnv;
  readonly folder: string;
}

export interface ConfiguredProvider {
  settings(): CheckedSettings;
  readonly session: TerraformSession;
}

export class TerraformSession extends Session {
  override readonly planBinds = true;
  override readonly sharesAddresses = true;
  override readonly asksState = false;
  /** If a create fails, Terraform taints the object, and replaces it in the next run. */
  override readonly replacesFailed = true;
  /** True if Terraform has shown that this process applies a plan. OpenTofu never shows this. */
  applies = false;
  readonly #engine = this.runtime.parent();
  #log: NodeJS.WriteStream | undefined;

  constructor(
    runtime?: RuntimeDependencies,
    readonly workplace: WorkingFolderAndEnvironment = { environment: process.env, folder: "." },
  ) {
    super(runtime);
  }

  during<T>(diagnostics: Diagnostic[], call: () => T, progress?: Progress): T {
    return calls.run({ diagnostics, progress }, call);
  }

  /**
   * Terraform shows only the warnings of a provider. A status goes to the log, and to the progress of an action. A plan
   * shows its reasons as warnings. So an apply of Terraform writes the reasons only to the log.
   */
  protected show(how: LogMessageKind, _: string | undefined, line: string): void {
    const call = calls.getStore();
    if (how === "debug") {
      this.log("debug", line);
    } else if (how === "status" || (how === "reason" && this.applies)) {
      this.log("info", line);
    } else {
      const [summary, ...detail] = line.split(": ");
      call?.diagnostics.push({ severity: severity.warning, summary, detail: detail.join(": ") });
      this.log("warn", line);
    }
    if (how === "status") {
      call?.progress?.(line);
    }
  }

  engineAddress(): string | undefined {
    return this.#engine;
  }

  /** Returns "unsaved", because a provider cannot read Terraform's state. */
  async savedInState(): Promise<JobPresenceInState> {
    return "unsaved";
  }

  /** Does nothing, because Terraform ends a provider by a call of the protocol. */
  watchEnd(): void {}

  /** Writes a line to the log that `TF_LOG_PROVIDER` shows. The line's time must have exactly six decimals. */
  protected log(level: "debug" | "info" | "warn", text: string): void {
    const time = new Date().toISOString().replace(/(\.\d{3})Z$/, "$1000Z");
    const line = { "@level": level, "@message": text, "@module": "docsplatform", "@timestamp": time };
    // The reader of the log may be gone while this process still writes to the journal. The log is opened at its first
    // line, because opening it takes a twentieth of the start time.
    this.#log ??= process.stderr.on("error", () => {});
    this.#log.write(`${JSON.stringify(line)}\n`);
  }
}

/**
 * Terraform passes no resource address to a provider, so the address contains only the type and the workspace. It is
 * the same in every run on this machine. With a scope, it is also the same on every other machine.
 */
export function resourceAddressForJournal(
  type: string,
  scope: string | undefined,
  workplace: WorkingFolderAndEnvironment,
): string {
  const place = scope === undefined ? [realpathSync(workplace.folder)] : ["scope", scope];
  return `terraform ${type} ${digest(...place, chosenWorkspace(workplace))}`;
}

/** @returns the name of the workspace, or an empty text for the default workspace. */
export function chosenWorkspace({ environment, folder }: WorkingFolderAndEnvironment): string {
  const { TF_WORKSPACE: named = "", TF_DATA_DIR: data = ".terraform" } = environment;
  const chosen = named.trim() || savedWorkspace(resolve(folder, data));
  return chosen === "default" ? "" : chosen;
}

function savedWorkspace(data: string): string {
  try {
    return readFileSync(join(data, "environment"), "utf8").trim();
  } catch {
    return "";
  }
}
