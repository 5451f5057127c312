import type { DiffResponse } from "@pulumi/pulumi/proto/provider_pb";
import { type CheckFailure, type Decision, PartialFailure, type RawInputs, unknown } from "../../resources/lifecycle";
import { systemClock } from "../../support/clock";
import { warnOfAssumed } from "../assumed";
import { createContext } from "../context";
import { Dependents } from "../dependents";
import { Operations } from "../operations";
import { diffResponse } from "./detailedDiff";
import { type Properties, secretOutputs } from "./properties";
import type { ProviderSettings } from "./providerSettings";
import { badRequest, initFailed } from "./rpcError";
import type { Traits } from "./traits";

/** One request of the engine for one resource; each method reads what its request has. */
export interface ResourceRequest {
  urn: string;
  id: string;
  settings: ProviderSettings;
  /** Aborts when the run of its provider is cancelled. */
  signal: AbortSignal;
  /** The state. */
  olds: Properties;
  oldInputs: Properties;
  news: Properties;
  preview: boolean;
  /** Milliseconds; undefined where the program sets none. */
  timeLimit: number | undefined;
}

/** Values with the names of those that are secret. */
type Answer = Properties;

/** A resource as this host serves it. */
export interface PluginResource {
  readonly inputs: readonly string[];
  /** The outputs that are secret whatever the inputs are. */
  readonly secrets: readonly string[];
  /** Whether a change of this input replaces the resource. */
  replacedBy(input: string): boolean;
  check(request: ResourceRequest): { inputs: Answer; failures: CheckFailure[] };
  diff(request: ResourceRequest): DiffResponse;
  create(request: ResourceRequest): Promise<{ id: string; state: Answer }>;
  /** @returns undefined where the thing is gone; inputs only where the request has no state. */
  read(request: ResourceRequest): Promise<{ state: Answer; inputs: Answer | undefined } | undefined>;
  update(request: ResourceRequest): Promise<Answer>;
  delete(request: ResourceRequest): Promise<void>;
}

/** In the state of what was read by its id alone: the program was not asked yet. */
const importedMark = "__imported";

/** Serves a resource to the engine by way of the plugin's protocol. */
export class LifecycleResource<Inputs extends object, State extends object> implements PluginResource {
  readonly inputs: readonly string[];
  readonly secrets: readonly string[];
  readonly #operations: Operations<Inputs, State>;
  readonly #dependents = new Dependents();

  constructor(private readonly traits: Traits<Inputs, State>) {
    this.inputs = traits.inputs;
    this.secrets = traits.secrets ?? [];
    this.#operations = new Operations(traits.lifecycle);
  }

  replacedBy(input: string): boolean {
    const [state, changed] = [{ [input]: "before" }, { [input]: "after" }];
    return this.traits.lifecycle
      .diff(state as unknown as State, changed as unknown as Inputs, 0)
      .replaces.includes(input);
  }

  check({ urn, news, settings }: ResourceRequest) {
    this.#dependents.checked(urn, news.values);
    const { inputs, failures } = this.traits.lifecycle.check(news.values, settings.projectId());
    const inTheId = this.traits.identity.filter((name) => news.secrets.has(name));
    return {
      inputs: this.#answer(inputs, news),
      failures: [
        ...failures.map((failure) => withoutValue(failure, news)),
        ...inTheId.map((name) => ({ property: "", reason: `${name} ${secretInTheId}` })),
        ...settings.problems().map((reason) => ({ property: "", reason })),
      ],
    };
  }

  diff(request: ResourceRequest): DiffResponse {
    const [state, inputs] = [this.#stateOf(request), inputsOf<Inputs>(request)];
    const decision = this.#dependents.answer(request.urn, request.news.values) ?? this.#decide(state, inputs);
    warnOfAssumed(request.urn, decision);
    this.#operations.decided(request.urn, request.id, state, decision, request.settings.journalPlace());
    return diffResponse({
      decision: { ...decision, update: decision.update || importedMark in request.olds.values },
      oldInputs: request.oldInputs.values,
      newInputs: request.news.values,
      outputs: this.traits.lifecycle.outputs,
    });
  }

  async create(request: ResourceRequest) {
    const { urn, news } = request;
    const inputs = inputsOf<Inputs>(request);
    if (request.preview) {
      return { id: "", state: this.#answer(planned({}, inputs, this.traits.lifecycle.outputs), news) };
    }
    const created = this.#operations.create(urn, inputs, contextFor(request));
    const { id, state } = await created.catch((error) => this.#refuse(error, news));
    return { id, state: this.#answer(state, news) };
  }

  async read(request: ResourceRequest) {
    const { id, olds, oldInputs } = request;
    const byId = Object.keys(olds.values).length === 0;
    if (byId && this.traits.notImported !== undefined) {
      throw badRequest(`this resource is not looked up by its id: ${this.traits.notImported}.`);
    }
    const { [importedMark]: imported, ...state } = olds.values;
    const journal = request.settings.journalPlace();
    const found = await this.#operations.read(id, state as unknown as Partial<State>, contextFor(request), journal);
    if (found === undefined) {
      return undefined;
    }
    const mark = byId || imported ? { [importedMark]: true } : {};
    return {
      state: this.#answer({ ...found, ...mark }, olds, oldInputs),
      inputs: byId ? this.#answer(pick(found, this.traits.importedInputs ?? []), oldInputs) : undefined,
    };
  }

  async update(request: ResourceRequest): Promise<Answer> {
    const { id, olds, news, preview } = request;
    const [state, inputs] = [this.#stateOf(request), inputsOf<Inputs>(request)];
    if (preview) {
      const { inputs: names, lifecycle } = this.traits;
      const inputsOnly = names.filter((name) => !(lifecycle.outputs as readonly string[]).includes(name));
      const { sets } = this.#decide(state, inputs);
      return this.#answer(planned(omit(state, inputsOnly), inputs, sets), news);
    }
    const journal = request.settings.journalPlace();
    const updated = this.#operations.update(id, state, inputs, contextFor(request), journal);
    return this.#answer(await updated.catch((error) => this.#refuse(error, olds, news)), news);
  }

  async delete(request: ResourceRequest): Promise<void> {
    const { id, olds, settings } = request;
    const state = olds.values as unknown as State;
    await this.#operations.delete(id, state, contextFor(request), settings.journalPlace());
  }

  #answer(values: object, ...givens: Properties[]): Answer {
    return { values: { ...values }, secrets: secretOutputs({ ...values }, this.secrets, ...givens) };
  }

  #decide(state: State, inputs: Inputs): Decision {
    return this.traits.lifecycle.diff(state, inputs, systemClock.now(), systemClock.machine);
  }

  /** The state, with what an import could not know as the program has it. */
  #stateOf({ olds, news }: ResourceRequest): State {
    const { [importedMark]: imported, ...state } = olds.values;
    return (imported ? { ...pick(news.values, this.traits.labels ?? []), ...state } : state) as unknown as State;
  }

  #refuse(error: unknown, ...givens: Properties[]): never {
    throw error instanceof PartialFailure ? initFailed(error, this.#answer(error.state, ...givens).secrets) : error;
  }
}

/** The state after a run, as far as it is known before it. */
function planned(state: object, inputs: object, sets: readonly string[]): object {
  return { ...state, ...Object.fromEntries(sets.map((name) => [name, unknown])), ...inputs };
}

function contextFor({ urn, settings, signal, timeLimit }: ResourceRequest) {
  return createContext(urn, () => settings.require(), timeLimit, signal);
}

function inputsOf<Inputs>({ news }: ResourceRequest): Inputs {
  return news.values as unknown as Inputs;
}

const secretInTheId =
  "is secret, and the id of this resource, which everybody sees, is made of it: give it as a plain value";

/** The engine prints the value of the property that a failure names, also where it is secret. */
function withoutValue({ property, reason }: CheckFailure, { secrets }: Properties): CheckFailure {
  return secrets.has(property) ? { property: "", reason: `${property} ${reason}` } : { property, reason };
}

function pick(values: object, names: readonly string[]): RawInputs {
  return Object.fromEntries(Object.entries(values).filter(([name]) => names.includes(name)));
}

function omit(values: object, names: readonly string[]): RawInputs {
  return Object.fromEntries(Object.entries(values).filter(([name]) => !names.includes(name)));
}
