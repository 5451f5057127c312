import { isDeepStrictEqual } from "node:util";
import type { SettingsReader } from "../../engine/settingsReader";
import { setProcessCaFile } from "../../network/authorities";
import type { PulumiSession } from "../../pulumiEngine/session";
import { providerSettings } from "./providerSettings";
import { badRequest, refusedToAll } from "./rpcError";

/**
 * The one provider that this process serves, on any connection. Any program of this user can connect, and outside Linux
 * any program on this machine: the protocol has no password.
 */
export class PluginProvider {
  #settings: SettingsReader | undefined;
  /** An engine that attaches cancels at the end of its run, and another run may follow. */
  #attached: AbortController | undefined;

  readonly #session: PulumiSession;

  constructor(session: PulumiSession) {
    this.#session = session;
  }

  /** Before the provider is configured, only the environment is known. */
  get settings(): SettingsReader {
    return this.#settings ?? providerSettings({}, true, process.env);
  }

  get signal(): AbortSignal {
    return this.#attached?.signal ?? this.#session.signal;
  }

  cancel(): void {
    if (this.#attached === undefined) {
      this.#session.cancel();
    } else {
      this.#attached.abort();
    }
  }

  /**
   * Sets the settings, once.
   * @throws RpcFailure if the provider already has other settings: its key would go to another place, or another key
   * would be used. Also if no engine has started this process, and its credentials would go where the caller says.
   */
  configure(settings: SettingsReader): void {
    if (this.#settings === undefined) {
      const redirection = settings.machineKeySentToProjectUrl();
      if (redirection !== undefined && this.#session.startedBy() === undefined) {
        throw refusedToAll(redirection);
      }
      if (redirection !== undefined) {
        this.#session.warn(undefined, redirection);
      }
      this.#settings = settings;
      setProcessCaFile(settings.caFile());
    } else if (!isDeepStrictEqual(settings.read(), this.#settings.read())) {
      throw badRequest(configuredAlready(this.#settings));
    }
  }

  /** Takes an engine's address, for a process that was started by hand, to be debugged. */
  attach(engine: string): void {
    if (this.#session.startedBy() !== undefined) {
      throw badRequest("this process serves only the engine that started it");
    }
    this.#session.attachTo(engine);
    this.#attached = new AbortController();
  }
}

function configuredAlready(settings: SettingsReader): string {
  const read = settings.read();
  const place = Array.isArray(read) ? "nowhere" : `to ${read.origin}`;
  return `this provider is already configured, and sends its key only ${place}. A process serves one provider, so another program on this machine is calling the plugin, or an engine has attached with another provider. Nothing was sent. Find that program, then run the command again.`;
}
