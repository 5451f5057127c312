import type { RawValues } from "../../definitions/values";
import { update } from "../../engine/apply";
import type { Update } from "../../engine/operation";
import { computePlannedState } from "../../engine/plan";
import { importById, read } from "../../engine/read";
import { ReplacementTracker } from "../../pulumiEngine/replacementTracker";
import type { WriteOutcome } from "../../resources/lifecycle";
import type { Resource } from "../../resources/resource";
import type { PluginRequest, PluginResponse } from "./messages";
import type { PluginProviderSettings } from "./pluginProviderSettings";
import { findSecretOutputNames, readProperties, type SecretMarkedValues, writeProperties } from "./properties";
import { checkResponse, diffResponse } from "./responses";
import { initFailedError } from "./rpcFailures";

type Message = Pick<PluginRequest<"Delete">, "urn" | "id" | "timeout">;

const none: SecretMarkedValues = { values: {}, secrets: new Set() };

export class PluginResourceCalls {
  readonly #tracker: ReplacementTracker;

  constructor(
    private readonly definition: Resource,
    private readonly provider: PluginProviderSettings,
  ) {
    this.#tracker = new ReplacementTracker(provider.session);
  }

  check({ urn, olds, news: sent }: PluginRequest<"Check">): PluginResponse<"Check"> {
    const [news, before] = [readProperties(sent), readProperties(olds).values];
    const operation = this.#operation({ urn }, none);
    const { inputs, failures } = this.#tracker.check(this.definition, operation, news, before);
    return checkResponse(this.#write(inputs, news), failures, news.secrets);
  }

  diff(message: PluginRequest<"Diff">): PluginResponse<"Diff"> {
    const operation = this.#operation(message, readProperties(message.olds), readProperties(message.news));
    const plan = this.#tracker.plan(this.definition, operation);
    const { values: oldInputs } = readProperties(message.oldInputs);
    return diffResponse(plan, oldInputs, operation.inputs, this.definition.outputs);
  }

  async create(message: PluginRequest<"Create">): Promise<PluginResponse<"Create">> {
    const news = readProperties(message.properties);
    if (message.preview) {
      const planned = computePlannedState(this.definition, { inputs: news.values }, this.provider.session);
      return { id: "", properties: this.#write(planned, news) };
    }
    const operation = this.#operation(message, none, news);
    return this.#resultOf(await this.#tracker.create(this.definition, operation), news);
  }

  async read(message: PluginRequest<"Read">): Promise<PluginResponse<"Read">> {
    const [olds, oldInputs] = [readProperties(message.properties), readProperties(message.inputs)];
    const operation = this.#operation(message, olds);
    const { id } = operation;
    // A request without properties is an import. The answer `{}` means that the resource does not exist.
    if (Object.keys(olds.values).length > 0) {
      const state = await read(this.definition, operation, this.provider.session);
      return state ? { id, properties: this.#write(state, olds, oldInputs) } : {};
    }
    const found = await importById(this.definition, operation, this.provider.session);
    return found
      ? { id, properties: this.#write(found.state, oldInputs), inputs: this.#write(found.inputs, oldInputs) }
      : {};
  }

  async update(message: PluginRequest<"Update">): Promise<PluginResponse<"Update">> {
    const [olds, news] = [readProperties(message.olds), readProperties(message.news)];
    const operation = this.#operation(message, olds, news);
    if (message.preview) {
      return { properties: this.#write(computePlannedState(this.definition, operation, this.provider.session), news) };
    }
    const { properties } = this.#resultOf(await update(this.definition, operation, this.provider.session), olds, news);
    return { properties };
  }

  async delete(message: PluginRequest<"Delete">): Promise<PluginResponse<"Delete">> {
    const operation = this.#operation(message, readProperties(message.properties));
    await this.#tracker.remove(this.definition, operation);
    return {};
  }

  #operation(message: Message, olds: SecretMarkedValues, news = none): Update {
    const { urn: address = "", id = "", timeout = 0 } = message;
    const { settings } = this.provider;
    return {
      ...{ address, id, settings, state: olds.values, inputs: news.values },
      ...(timeout > 0 && { timeLimit: { duration: timeout * 1_000, name: "customTimeouts" } }),
    };
  }

  #write(values: RawValues, ...givens: SecretMarkedValues[]): RawValues {
    return writeProperties(values, findSecretOutputNames(values, this.definition.secrets, ...givens));
  }

  /** @throws RpcFailure if there is a problem. This error also contains the state, which the engine saves. */
  #resultOf({ id, state, problem }: WriteOutcome, ...givens: SecretMarkedValues[]) {
    const properties = this.#write(state, ...givens);
    if (problem !== undefined) {
      throw initFailedError(id, properties, problem.message);
    }
    return { id, properties };
  }
}
