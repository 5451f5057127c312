import type { CheckFailure } from "../../definitions/rules";
import type { RawValues } from "../../definitions/values";
import { create, update } from "../../engine/apply";
import { check } from "../../engine/check";
import { warnOfMissingKey } from "../../engine/missingKey";
import type { Applied, OnResource } from "../../engine/operation";
import { noChange, plan, plannedState } from "../../engine/plan";
import { importById, read } from "../../engine/read";
import { type Properties, secretOutputs } from "../../engine/secrets";
import { ReplacementTracker } from "../../pulumiEngine/replacementTracker";
import type { PulumiSession } from "../../pulumiEngine/session";
import type { Resource } from "../../resources/resource";
import type { PluginResponse } from "./messages";
import type { ProviderInstance } from "./providerInstances";
import { diffResponse } from "./responses";
import { badRequest, initFailed } from "./rpcError";

/** One request of the engine for one resource. Each method uses the fields that its request has. */
export interface ResourceRequest {
  urn: string;
  id: string;
  /** The provider that the resource uses. */
  provider: ProviderInstance;
  /** The state. */
  olds: Properties;
  oldInputs: Properties;
  news: Properties;
  preview: boolean;
  /** The time limit in milliseconds; undefined if the program sets none. */
  timeLimit: number | undefined;
}

/** The calls of this protocol for one kind of resource. */
export class PluginResourceCalls {
  readonly #tracker = new ReplacementTracker();

  readonly #definition: Resource;
  readonly #session: PulumiSession;

  constructor(definition: Resource, session: PulumiSession) {
    this.#definition = definition;
    this.#session = session;
  }

  check({ urn, olds, news, provider }: ResourceRequest): { inputs: Properties; failures: CheckFailure[] } {
    this.#tracker.checked(urn, news.values);
    if (Object.keys(olds.values).length === 0) {
      warnOfMissingKey(provider.settings, this.#session);
    }
    const { inputs, failures } = check(this.#definition, news.values, provider.settings, news.secrets);
    return { inputs: this.#answer(inputs, news), failures: failures.map((failure) => withoutValue(failure, news)) };
  }

  diff(request: ResourceRequest): PluginResponse<"Diff"> {
    const { urn, oldInputs, news } = request;
    const operation = operationOf(request);
    const planned = this.#tracker.isAskedOfDependents(urn, news.values)
      ? noChange
      : plan(this.#definition, operation, this.#session);
    this.#tracker.planned(urn, operation.id, operation.state, planned);
    const { outputs } = this.#definition;
    return diffResponse({ plan: planned, oldInputs: oldInputs.values, newInputs: news.values, outputs });
  }

  async create(request: ResourceRequest): Promise<{ id: string; state: Properties }> {
    const { urn, news, preview } = request;
    if (preview) {
      return { id: "", state: this.#answer(plannedState(this.#definition, { inputs: news.values }), news) };
    }
    const operation = { ...operationOf(request), ...this.#tracker.replaced(urn) };
    return this.#settle(await create(this.#definition, operation, this.#session), news);
  }

  /** @returns undefined if the object no longer exists. The result has inputs only if the request has no state. */
  async read(request: ResourceRequest): Promise<{ state: Properties; inputs: Properties | undefined } | undefined> {
    const { olds, oldInputs } = request;
    if (Object.keys(olds.values).length > 0) {
      const state = await read(this.#definition, operationOf(request), this.#session);
      return state && { state: this.#answer(state, olds, oldInputs), inputs: undefined };
    }
    if (this.#definition.notImported !== undefined) {
      throw badRequest(`this resource cannot be read by its id alone: ${this.#definition.notImported}.`);
    }
    const found = await importById(this.#definition, operationOf(request), this.#session);
    return (
      found && {
        state: this.#answer(found.state, olds, oldInputs),
        inputs: this.#answer(found.inputs, oldInputs),
      }
    );
  }

  async update(request: ResourceRequest): Promise<Properties> {
    const { olds, news, preview } = request;
    if (preview) {
      return this.#answer(plannedState(this.#definition, operationOf(request)), news);
    }
    return this.#settle(await update(this.#definition, operationOf(request), this.#session), olds, news).state;
  }

  async delete(request: ResourceRequest): Promise<void> {
    await this.#tracker.remove(this.#definition, operationOf(request), this.#session);
  }

  #answer(values: RawValues, ...givens: Properties[]): Properties {
    return { values, secrets: secretOutputs(values, this.#definition.secrets ?? [], ...givens) };
  }

  /** Returns the result, or throws. This protocol has a special error for a failure that has a state to save. */
  #settle(applied: Applied, ...givens: Properties[]): { id: string; state: Properties } {
    const state = this.#answer(applied.state, ...givens);
    if (applied.problem !== undefined) {
      throw initFailed(applied, applied.problem.message, state.secrets);
    }
    return { id: applied.id, state };
  }
}

function operationOf(request: ResourceRequest): OnResource & { inputs: RawValues } {
  const { urn, id, provider, olds, news, timeLimit } = request;
  const { settings, signal } = provider;
  return {
    address: urn,
    id,
    settings,
    signal,
    state: olds.values,
    inputs: news.values,
    ...(timeLimit !== undefined && { timeLimit: { duration: timeLimit, name: "customTimeouts" } }),
  };
}

/**
 * Moves the name of a secret property into the reason, since the engine prints the value of the property that a failure
 * names.
 */
function withoutValue({ property, reason }: CheckFailure, { secrets }: Properties): CheckFailure {
  return secrets.has(property) ? { property: "", reason: `${property} ${reason}` } : { property, reason };
}
