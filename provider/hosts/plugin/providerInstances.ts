import { isDeepStrictEqual } from "node:util";
import type { SettingsReader } from "../../engine/settingsReader";
import { setProcessCaFile } from "../../network/authorities";
import type { PulumiSession } from "../../pulumiEngine/session";
import { providerSettings } from "./providerSettings";
import { badRequest } from "./rpcError";

/** One provider of a program, with its settings and its cancellation. */
export class ProviderInstance {
  #settings: SettingsReader | undefined;

  /** The rule for credentials of this machine that would go where the program says: see {@link SettingsReader.redirectedCredentials}. */
  readonly #onRedirection: (text: string) => void;

  constructor(
    /** Aborts the waits of the provider. */
    readonly signal: AbortSignal,
    readonly cancel: () => void,
    onRedirection: (text: string) => void,
  ) {
    this.#onRedirection = onRedirection;
  }

  /** The settings. Before the provider is configured, only the environment is known. */
  get settings(): SettingsReader {
    return this.#settings ?? providerSettings({}, true, process.env);
  }

  /**
   * Sets the settings, once.
   * @throws RpcFailure if the provider already has other settings: its key would go to another place, or another key
   * would be used.
   */
  configure(settings: SettingsReader): void {
    if (this.#settings === undefined) {
      const redirection = settings.redirectedCredentials();
      if (redirection !== undefined) {
        this.#onRedirection(redirection);
      }
      this.#settings = settings;
      setProcessCaFile(settings.caFile());
    } else if (!isDeepStrictEqual(settings.read(), this.#settings.read())) {
      throw badRequest(configuredAlready(this.#settings));
    }
  }
}

/**
 * An engine's abilities, by its handshake. It says so once for all connections, since an idle connection is
 * replaced by a new one.
 */
export interface EngineAbilities {
  /** True if the engine takes output values, which may be unknown, as results of functions. */
  takesOutputs: boolean;
}

/** One connection of an engine, or of another program. */
export interface EngineConnection {
  readonly engine: EngineAbilities;
  /** The provider of this connection, if the engine has attached to this process. */
  attached?: ProviderInstance;
}

/**
 * The providers that this process serves. Any program on this machine can connect: the protocol has no password. An
 * engine that has started the process uses it for one provider, on any connection. An engine that attaches for
 * debugging makes one connection for each provider, and nothing else in its requests distinguishes the providers.
 */
export class ProviderInstances {
  readonly #own: ProviderInstance;

  readonly #session: PulumiSession;

  constructor(session: PulumiSession) {
    this.#session = session;
    const cancel = () => session.cancel();
    this.#own = new ProviderInstance(session.signal, cancel, (text) => session.warn(undefined, text));
  }

  of(connection: EngineConnection): ProviderInstance {
    return connection.attached ?? this.#own;
  }

  attach(connection: EngineConnection, engine: string): void {
    if (this.#session.startedBy() !== undefined) {
      throw badRequest("this process serves only the engine that started it");
    }
    this.#session.attachTo(engine);
    const controller = new AbortController();
    const refuse = (text: string) => {
      throw badRequest(`refused, because any program on this machine can attach: ${text}`);
    };
    connection.attached = new ProviderInstance(controller.signal, () => controller.abort(), refuse);
  }
}

function configuredAlready(settings: SettingsReader): string {
  const read = settings.read();
  const place = Array.isArray(read) ? "nowhere" : `to ${read.origin}`;
  return `this provider is already configured, and sends its key only ${place}. An engine configures it once, so another program on this machine is calling the plugin. Nothing was sent. Find that program, then run the command again.`;
}
