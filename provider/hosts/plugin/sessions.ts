import { isDeepStrictEqual } from "node:util";
import { cancelRun, runSignal } from "../cancellation";
import { attachTo, startedBy } from "../engineAddress";
import { engineLog } from "../engineLog";
import { type ProviderSettings, providerSettings } from "./providerSettings";
import { badRequest } from "./rpcError";

/** One provider of a program: its settings, and its cancellation. */
export class Session {
  #settings: ProviderSettings | undefined;

  constructor(
    /** Aborts what the provider waits for. */
    readonly signal: AbortSignal,
    readonly cancel: () => void,
    /** What becomes of a key of the environment that goes where the program says: see {@link ProviderSettings.redirectedKey}. */
    private readonly onRedirectedKey: (text: string) => void,
  ) {}

  /** Until it is configured, only the environment is known. */
  get settings(): ProviderSettings {
    return this.#settings ?? providerSettings({}, true, process.env);
  }

  /** @throws RpcError for other settings than it has, since its key would go elsewhere, or another key would come in. */
  configure(settings: ProviderSettings): void {
    if (this.#settings === undefined) {
      const redirection = settings.redirectedKey();
      if (redirection !== undefined) {
        this.onRedirectedKey(redirection);
      }
      this.#settings = settings;
    } else if (!isDeepStrictEqual(settings.read(), this.#settings.read())) {
      throw badRequest(configuredAlready(this.#settings));
    }
  }
}

/**
 * Whom this process serves. Any program of this machine can connect to it: the protocol knows no password. An engine that has
 * started the process has it for one provider, on whatever connection. One that attaches, to debug, makes a connection for
 * each provider, and nothing else in its requests tells them apart.
 */
export class Sessions {
  readonly #own = new Session(runSignal, cancelRun, (text) => engineLog.warn(undefined, text));
  readonly #attached = new Map<string, Session>();

  /** @param peer the other end of the connection. */
  of(peer: string): Session {
    return this.#attached.get(peer) ?? this.#own;
  }

  attach(peer: string, engine: string): void {
    if (startedBy() !== undefined) {
      throw badRequest("this process serves the engine that has started it, and no other");
    }
    attachTo(engine);
    const controller = new AbortController();
    const refuse = (text: string) => {
      throw badRequest(`refused, since any program of this machine can attach: ${text}`);
    };
    this.#attached.set(peer, new Session(controller.signal, () => controller.abort(), refuse));
  }
}

function configuredAlready(settings: ProviderSettings): string {
  const read = settings.read();
  const place = Array.isArray(read) ? "nowhere" : `to ${read.origin} alone`;
  return `this provider has its settings already, and its key goes ${place}. An engine gives them once: another program of this machine talks to the plugin. Nothing was sent; find that program, and run the command again.`;
}
