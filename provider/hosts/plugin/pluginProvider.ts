import { isDeepStrictEqual } from "node:util";
import type { SettingsReader } from "../../engine/settingsReader";
import { setProcessCaFile } from "../../network/authorities";
import type { PulumiSession } from "../../pulumiEngine/session";
import { providerSettings } from "./providerSettings";
import { badRequest } from "./rpcError";

/**
 * The one provider that this process serves, on any connection. Any program of this user can connect, and outside Linux
 * any program on this machine: the protocol has no password.
 */
export class PluginProvider {
  #settings: SettingsReader | undefined;

  constructor(private readonly session: PulumiSession) {}

  get settings(): SettingsReader {
    return this.#settings ?? providerSettings({}, true, process.env);
  }

  /**
   * Sets the settings, once.
   * @throws RpcFailure if the provider already has other settings: its key would go to another place, or another key
   * would be used. Also if no engine has started this process.
   */
  configure(settings: SettingsReader): void {
    if (this.session.engineAddress() === undefined) {
      throw badRequest("this process serves only an engine that has started it. Nothing was sent.");
    }
    if (this.#settings === undefined) {
      const redirection = settings.machineKeySentToProjectUrl();
      if (redirection !== undefined) {
        this.session.warn(undefined, redirection);
      }
      this.#settings = settings;
      setProcessCaFile(settings.caFile());
    } else if (!isDeepStrictEqual(settings.read(), this.#settings.read())) {
      throw badRequest(configuredAlready(this.#settings));
    }
  }
}

function configuredAlready(settings: SettingsReader): string {
  const read = settings.read();
  const place = Array.isArray(read) ? "nowhere" : `to ${read.origin}`;
  return `this provider is already configured, and sends its key only ${place}. A process serves one provider, so another program on this machine is calling the plugin. Nothing was sent. Find that program, then run the command again.`;
}
