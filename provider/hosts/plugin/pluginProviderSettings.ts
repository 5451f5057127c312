import { isDeepStrictEqual } from "node:util";
import { applyProcessSettings } from "../../engine/processSettings";
import type { PulumiSession } from "../../pulumiEngine/pulumiSession";
import type { CheckedSettings } from "../../settings/settings";
import { createSettingLookup } from "../../settings/sources";
import { combineSettingSources, type PluginProviderInputs, providerArgumentSettings } from "./providerSettings";
import { invalidRequestFailure } from "./rpcFailures";

/**
 * The protocol has no password: any program of this user can connect. Outside Linux, any program on this machine can.
 */
export class PluginProviderSettings {
  #configured: CheckedSettings | undefined;
  /** The provider inputs that the engine has checked in this run, as texts. It does not check inputs from the state. */
  readonly #checked = new Set<string>();

  constructor(readonly session: PulumiSession) {}

  get settings(): CheckedSettings {
    return this.#configured ?? this.#settingsOf({ inputs: {}, isDefault: true });
  }

  noteChecked(given: PluginProviderInputs): void {
    this.#checked.add(textOf(given));
  }

  /** @throws RpcFailure if a later call changes the settings: the provider's key could go to another server. */
  configure(given: PluginProviderInputs): void {
    if (this.session.engineAddress() === undefined) {
      throw invalidRequestFailure("this process serves only an engine that has started it. Nothing was sent.");
    }
    const settings = this.#settingsOf(given);
    if (this.#configured === undefined) {
      this.#configured = settings;
      applyProcessSettings(settings, this.session);
    } else if (!isDeepStrictEqual(settings.values, this.#configured.values)) {
      const { baseUrl } = this.#configured.values;
      const place = baseUrl === undefined ? "nowhere" : `to ${baseUrl.origin}`;
      throw invalidRequestFailure(
        `this provider is already configured, and sends its key only ${place}. A process serves one provider, so another program on this machine is calling the plugin. Nothing was sent. Find that program, then run the command again.`,
      );
    }
  }

  #settingsOf(given: PluginProviderInputs): CheckedSettings {
    return combineSettingSources(given.inputs, given.isDefault, process.env, this.#checked.has(textOf(given)));
  }
}

function textOf({ inputs, isDefault }: PluginProviderInputs): string {
  const given = createSettingLookup(inputs);
  return JSON.stringify([isDefault, ...providerArgumentSettings.map(({ name }) => given(name) ?? null)]);
}
