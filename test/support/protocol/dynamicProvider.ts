import { expect, onTestFinished } from "vitest";
import type { ResourceName } from "../../../provider/resources/index";
import type { Platform } from "../../../simulator/index";
import { signatureMark } from "../leaks";
import type { Values } from "./messages";
import { dynamicProcess, type ProcessOptions } from "./protocolHosts";
import { ProviderError } from "./providerClient";

export type SentProperties = Values;

/** The result of a create or a read, and the engine's record of the resource. */
export interface SavedResource {
  id: string;
  properties: SentProperties;
}

/** The failure of a create or an update. */
export class RefusedCall extends Error {
  constructor(
    message: string,
    /** The state that the engine saves in spite of it; undefined if it saves nothing. */
    readonly saved: SavedResource | undefined,
  ) {
    super(message);
  }
}

/**
 * The SDK's dynamic provider in a process of its own, called for single resources as the engine does. It is for rules
 * at the engine's protocol that need no engine. It ends with the test, and its output may hold no secret.
 */
export class DynamicProviderProcess {
  readonly #told: string[] = [];

  readonly #host: Awaited<ReturnType<typeof dynamicProcess>>;
  private constructor(host: Awaited<ReturnType<typeof dynamicProcess>>) {
    this.#host = host;
  }

  static async start(
    platform: Pick<Platform, "baseUrl" | "apiKey">,
    surroundings: ProcessOptions = {},
  ): Promise<DynamicProviderProcess> {
    const provider = new DynamicProviderProcess(await dynamicProcess(platform, surroundings));
    onTestFinished(() => {
      const told = [...provider.#told, ...provider.#host.engine.log].join("\n");
      expect([signatureMark, platform.apiKey].filter((secret) => told.includes(secret))).toEqual([]);
    });
    return provider;
  }

  /** Its log for the user, without the lines that are shown only while a resource is at work. */
  get warnings(): readonly string[] {
    return this.#host.engine.warnings;
  }

  /** One resource of a program. */
  resource(kind: ResourceName, name = "site") {
    const { client, urnOf, ownInputs } = this.#host;
    const urn = urnOf(kind, name);
    const whole = (properties: SentProperties) => ({ ...ownInputs(kind, name), ...properties });
    const known = ({ id, properties }: SavedResource) => ({ id, inputs: {}, outputs: whole(properties) });
    return {
      check: (news: SentProperties, olds: SentProperties = {}) => client.check(urn, whole(news), whole(olds)),
      diff: async (saved: SavedResource, news: SentProperties) => {
        const { changes, replaces } = await client.diff(urn, known(saved), whole(news));
        return { changes, replaces };
      },
      create: (inputs: SentProperties): Promise<SavedResource> =>
        this.#saved(client.create(urn, whole(inputs)).then(({ id, outputs }) => ({ id, properties: outputs }))),
      /** Resolves with undefined if the engine would drop the resource. */
      read: async (saved: SavedResource): Promise<SavedResource | undefined> => {
        const found = await this.#saved(client.read(urn, known(saved)));
        return found && { id: found.id, properties: found.outputs };
      },
      update: (saved: SavedResource, news: SentProperties): Promise<SavedResource> =>
        this.#saved(client.update(urn, known(saved), whole(news)).then((properties) => ({ id: saved.id, properties }))),
      delete: (saved: SavedResource): Promise<void> => this.#saved(client.delete(urn, known(saved))),
    };
  }

  async #saved<T>(call: Promise<T>): Promise<T> {
    return call.catch((error: unknown) => {
      if (!(error instanceof ProviderError)) {
        throw error;
      }
      this.#told.push(error.message);
      throw new RefusedCall(error.message, error.saved && { id: error.saved.id, properties: error.saved.outputs });
    });
  }
}
