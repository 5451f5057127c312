import type * as pulumi from "@pulumi/pulumi";
import { type Lifecycle, PartialFailure } from "../resources/lifecycle";
import { systemClock } from "../support/clock";
import { asDocsPlatformError } from "../support/errors";
import { toJson } from "../support/json";
import { readJournalPlace, readProjectId, readSettings, requireSettings, type StackConfig } from "../support/settings";
import { warnOfAssumed } from "./assumed";
import { watchCancellation } from "./cancellation";
import { createContext } from "./context";
import { Dependents } from "./dependents";
import { Operations } from "./operations";
import { settingProblems } from "./settingProblems";
import { decode, type Envelope, encode } from "./wire";

/** The whole contract of the SDK's dynamic provider, which loads this object by the text in the state. */
export type DynamicProvider = Required<pulumi.dynamic.ResourceProvider>;

/** Serves a resource to the engine by way of the SDK's dynamic provider. */
export function dynamicProvider<Inputs extends object, State extends object>(
  lifecycle: Lifecycle<Inputs, State>,
): DynamicProvider {
  let config: StackConfig = () => undefined;
  const operations = new Operations(lifecycle);
  const journal = () => readJournalPlace(config, process.env);
  const dependents = new Dependents();
  const contextFor = (urn: string | undefined) => createContext(urn, () => requireSettings(config, process.env));

  return {
    // The SDK does not wait for this method before it calls the next one: only what is done at once is surely done.
    async configure(request) {
      config = (key) => request.config.get(key);
      watchCancellation();
    },

    async check(_, news) {
      const { envelope, properties } = decode(news);
      dependents.checked(envelope.__urn, properties);
      const missing = settingProblems(readSettings(config, process.env)).map((reason) => ({ property: "", reason }));
      const { inputs, failures } = lifecycle.check(properties, readProjectId(config, process.env));
      return { inputs: toJson({ ...encode(inputs), ...envelope }), failures: [...failures, ...missing] };
    },

    async diff(id, olds, news) {
      const { envelope, properties } = decode(news);
      const state = decode(olds).properties as unknown as State;
      const decision =
        dependents.answer(envelope.__urn, properties) ??
        lifecycle.diff(state, properties as unknown as Inputs, systemClock.now(), systemClock.machine);
      warnOfAssumed(envelope.__urn, decision);
      operations.decided(envelope.__urn, id, state, decision, journal());
      return { changes: decision.update || decision.replaces.length > 0, replaces: decision.replaces };
    },

    async create(inputs) {
      const { envelope, properties } = decode(inputs);
      const { __urn: urn } = envelope;
      const created = operations.create(urn, properties as unknown as Inputs, contextFor(urn));
      const { id, state } = await created.catch((error) => refuse(error, envelope));
      return { id, outs: toJson(state) };
    },

    async read(id, props) {
      const state = decode(props ?? {}).properties as Partial<State>;
      const found = await operations.read(id, state, contextFor(undefined), journal()).catch(refuseWithoutStack);
      return found ? { id, props: toJson(found) } : {};
    },

    async update(id, olds, news) {
      const { envelope, properties } = decode(news);
      const state = decode(olds).properties as unknown as State;
      const inputs = properties as unknown as Inputs;
      const updated = operations.update(id, state, inputs, contextFor(envelope.__urn), journal());
      return { outs: toJson(await updated.catch((error) => refuse(error, envelope))) };
    },

    // The API has no delete: only what a resource has put elsewhere can be removed.
    async delete(id, props) {
      const state = decode(props).properties as unknown as State;
      await operations.delete(id, state, contextFor(undefined), journal()).catch(refuseWithoutStack);
    },
  };
}

/**
 * A failure of create or update. With an id and properties it is a partial one: the engine saves them, and calls update
 * in the next run. The SDK leaves `__provider` out of those properties; without it nothing could load our code again.
 */
function refuse(error: unknown, { __provider }: Envelope): never {
  if (error instanceof PartialFailure) {
    const { message } = error.reason;
    throw Object.assign(new Error(message), {
      id: error.id,
      properties: toJson({ ...error.state, __provider }),
      reasons: [message],
    });
  }
  throw new Error(asDocsPlatformError(error).message);
}

/** A failure of read: the SDK prints the error and its stack, so that the stack must be none. */
function refuseWithoutStack(error: unknown): never {
  const { message } = asDocsPlatformError(error);
  const [first = "", ...rest] = message.split("\n");
  throw Object.assign(new Error(message), { toString: () => first, stack: `\n${rest.join("\n")}` });
}
