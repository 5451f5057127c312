import { isDeepStrictEqual } from "node:util";
import type { SettingsReader } from "../../engine/settingsReader";
import { setProcessCaFile } from "../../network/authorities";
import type { PulumiSession } from "../../pulumiEngine/session";
import { providerSettings } from "./providerSettings";
import { badRequest } from "./rpcError";

/** One provider of a program: its settings, and its cancellation. */
export class ProviderInstance {
  #settings: SettingsReader | undefined;

  /** What becomes of credentials of this machine that go where the program says: see {@link SettingsReader.redirectedCredentials}. */
  readonly #onRedirection: (text: string) => void;

  constructor(
    /** Aborts what the provider waits for. */
    readonly signal: AbortSignal,
    readonly cancel: () => void,
    onRedirection: (text: string) => void,
  ) {
    this.#onRedirection = onRedirection;
  }

  /** Until it is configured, only the environment is known. */
  get settings(): SettingsReader {
    return this.#settings ?? providerSettings({}, true, process.env);
  }

  /** @throws RpcFailure for other settings than it has, since its key would go elsewhere, or another key would come in. */
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

/** What an engine has said of itself in its handshake: it says so once, and a connection that rests is made anew. */
export interface EngineAbilities {
  /** Whether it takes output values as results of functions, of which some may not be known yet. */
  takesOutputs: boolean;
}

/** One connection of an engine, or of another program. */
export interface Connection {
  readonly engine: EngineAbilities;
  /** Its provider, where the engine has attached to this process. */
  attached?: ProviderInstance;
}

/**
 * Whom this process serves. Any program of this machine can connect to it: the protocol knows no password. An engine that has
 * started the process has it for one provider, on whatever connection. One that attaches, to debug, makes a connection for
 * each provider, and nothing else in its requests tells them apart.
 */
export class ProviderInstances {
  readonly #own: ProviderInstance;

  readonly #session: PulumiSession;

  constructor(session: PulumiSession) {
    this.#session = session;
    const cancel = () => session.cancel();
    this.#own = new ProviderInstance(session.signal, cancel, (text) => session.warn(undefined, text));
  }

  of(connection: Connection): ProviderInstance {
    return connection.attached ?? this.#own;
  }

  attach(connection: Connection, engine: string): void {
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
