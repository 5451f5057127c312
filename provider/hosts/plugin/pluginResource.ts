import type { DiffResponse } from "@pulumi/pulumi/proto/provider_pb";
import { type CheckFailure, PartialFailure, type RawInputs, unknown } from "../../resources/lifecycle";
import { systemClock } from "../../support/clock";
import { createContext } from "../context";
import { forgetSaved } from "../memory";
import { endWithEngine } from "../orphan";
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

export function pluginResource<Inputs extends object, State extends object>(
  traits: Traits<Inputs, State>,
): PluginResource {
  const { lifecycle, secrets: always = [] } = traits;
  /** By URN, what this run replaces: the engine tells it to diff, and not to the create that follows. */
  const replaced = new Map<string, State>();

  const contextFor = ({ urn, settings, timeLimit }: ResourceRequest) =>
    createContext(urn, () => settings.require(), timeLimit);
  const inputsOf = ({ news }: ResourceRequest) => news.values as unknown as Inputs;
  const answer = (values: object, ...givens: Properties[]): Answer => ({
    values: { ...values },
    secrets: secretOutputs({ ...values }, always, ...givens),
  });

  /** What the outputs become beyond what the inputs ask for. */
  function following(state: State, inputs: Inputs): readonly string[] {
    const own = pick(state, traits.inputs) as Inputs;
    const isDue = lifecycle.diff(state, own, systemClock.now()).update;
    return isDue || traits.begins?.(state, inputs) ? traits.following(state) : [];
  }

  /** The state, with what an import could not know as the program has it. */
  function stateOf({ olds, news }: ResourceRequest): State {
    const { [importedMark]: imported, ...state } = olds.values;
    return (imported ? { ...pick(news.values, traits.labels ?? []), ...state } : state) as unknown as State;
  }

  function refuse(error: unknown, ...givens: Properties[]): never {
    throw error instanceof PartialFailure ? initFailed(error, answer(error.state, ...givens).secrets) : error;
  }

  return {
    inputs: traits.inputs,
    secrets: always,

    replacedBy(input) {
      const [state, changed] = [{ [input]: "before" }, { [input]: "after" }];
      return lifecycle.diff(state as unknown as State, changed as unknown as Inputs, 0).replaces.includes(input);
    },

    check({ news, settings }) {
      const { inputs, failures } = lifecycle.check(news.values, settings.projectId());
      const inTheId = traits.identity.filter((name) => news.secrets.has(name));
      return {
        inputs: answer(inputs, news),
        failures: [
          ...failures.map((failure) => withoutValue(failure, news)),
          ...inTheId.map((name) => ({ property: "", reason: `${name} ${secretInTheId}` })),
          ...settings.problems().map((reason) => ({ property: "", reason })),
        ],
      };
    },

    diff(request) {
      const [state, inputs] = [stateOf(request), inputsOf(request)];
      const decision = lifecycle.diff(state, inputs, systemClock.now());
      forgetSaved(request.urn, request.id);
      if (decision.replaces.length > 0) {
        replaced.set(request.urn, state);
      }
      return diffResponse({
        decision: { ...decision, update: decision.update || importedMark in request.olds.values },
        oldInputs: request.oldInputs.values,
        newInputs: request.news.values,
        following: following(state, inputs),
        outputs: traits.outputs,
      });
    },

    async create(request) {
      const { urn, news } = request;
      const inputs = inputsOf(request);
      if (request.preview) {
        const outputs = Object.fromEntries(traits.outputs.map((name) => [name, unknown]));
        return { id: "", state: answer({ ...outputs, ...traits.foreseen?.(inputs), ...inputs }, news) };
      }
      endWithEngine();
      const context = contextFor(request);
      try {
        const { id, state } = await lifecycle.create(inputs, context, replaced.get(urn));
        context.memory.deliver();
        return { id, state: answer(state, news) };
      } catch (error) {
        if (error instanceof PartialFailure) {
          context.memory.deliver();
        }
        return refuse(error, news);
      }
    },

    async read(request) {
      const { id, olds, oldInputs } = request;
      const byId = Object.keys(olds.values).length === 0;
      if (byId && traits.notImported !== undefined) {
        throw badRequest(`this resource is not looked up by its id: ${traits.notImported}.`);
      }
      const { [importedMark]: imported, ...state } = olds.values;
      const found = await lifecycle.read(id, state as unknown as Partial<State>, contextFor(request));
      if (found === undefined) {
        return undefined;
      }
      const mark = byId || imported ? { [importedMark]: true } : {};
      return {
        state: answer({ ...found, ...mark }, olds, oldInputs),
        inputs: byId ? answer(pick(found, traits.importedInputs ?? []), oldInputs) : undefined,
      };
    },

    async update(request) {
      const { id, olds, news } = request;
      const [state, inputs] = [stateOf(request), inputsOf(request)];
      if (request.preview) {
        const inputsOnly = traits.inputs.filter((name) => !(traits.outputs as readonly string[]).includes(name));
        const changing = following(state, inputs).map((name) => [name, unknown]);
        return answer({ ...omit(state, inputsOnly), ...inputs, ...Object.fromEntries(changing) }, news);
      }
      endWithEngine();
      const updated = await lifecycle
        .update(id, state, inputs, contextFor(request))
        .catch((error) => refuse(error, olds, news));
      return answer(updated, news);
    },

    async delete({ id, olds }) {
      await lifecycle.delete?.(id, olds.values as unknown as State);
    },
  };
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
